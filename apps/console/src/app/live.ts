import { type ReadonlySignal, type Signal, useSignal, useSignalEffect } from '@preact/signals';
import { OperatorError, type Query } from '@switchyard/operator-api';
import { useEffect } from 'preact/hooks';
import type { z } from 'zod';
import { problemText, watch } from './api.ts';

/** The latest answer of a path, kept up to date. */
export interface Live<T> {
  /** Undefined until the first answer. */
  readonly data: ReadonlySignal<T | undefined>;
  /** Why it is not kept up to date. */
  readonly problem: ReadonlySignal<string | undefined>;
  /** The connection is lost; it is retried unless there is a problem. */
  readonly isLost: ReadonlySignal<boolean>;
  /** The path does not exist, or no longer. */
  readonly isMissing: ReadonlySignal<boolean>;
}

/** A browser opens six connections to a server, so hidden pages close theirs. */
const isHidden = (): boolean => document.visibilityState === 'hidden';

/**
 * Follows a path while the component is mounted. After a change of the query the last answer is shown until the new
 * one.
 */
export function useLive<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  query: Query = {},
): Live<z.output<Schema>> {
  const data = useSignal<z.output<Schema> | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const isLost = useSignal(false);
  const isMissing = useSignal(false);
  const asked = JSON.stringify([path, query]);
  useEffect(() => {
    let stop: AbortController | undefined;
    const start = (): void => {
      stop = new AbortController();
      void follow({ path, schema, query, signal: stop.signal }, { data, problem, isLost, isMissing });
    };
    const onVisibility = (): void => {
      stop?.abort();
      if (!isHidden()) start();
    };
    onVisibility();
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      document.removeEventListener('visibilitychange', onVisibility);
      stop?.abort();
    };
  }, [asked]);
  return { data, problem, isLost, isMissing };
}

interface Followed<Schema> {
  readonly path: string;
  readonly schema: Schema;
  readonly query: Query;
  readonly signal: AbortSignal;
}

interface Shown<T> {
  readonly data: Signal<T | undefined>;
  readonly problem: Signal<string | undefined>;
  readonly isLost: Signal<boolean>;
  readonly isMissing: Signal<boolean>;
}

async function follow<Schema extends z.ZodType>(
  { path, schema, query, signal }: Followed<Schema>,
  { data, problem, isLost, isMissing }: Shown<z.output<Schema>>,
): Promise<void> {
  try {
    const onLost = (): void => {
      isLost.value = true;
    };
    for await (const answer of watch(path, schema, { query, signal, onLost })) {
      if (signal.aborted) return;
      data.value = answer;
      problem.value = undefined;
      isLost.value = false;
    }
  } catch (error) {
    if (signal.aborted) return;
    isMissing.value = error instanceof OperatorError && error.status === 404;
    problem.value = problemText(error);
    isLost.value = true;
  }
}

/** The current time, updated every second while the component is mounted. */
export function useNow(): ReadonlySignal<number> {
  const now = useSignal(Date.now());
  useSignalEffect(() => {
    const timer = setInterval(() => {
      now.value = Date.now();
    }, 1_000);
    return () => clearInterval(timer);
  });
  return now;
}
