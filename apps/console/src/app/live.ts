import { type ReadonlySignal, type Signal, useSignal, useSignalEffect } from '@preact/signals';
import { OperatorError, type Query } from '@switchyard/operator-api';
import { useEffect } from 'preact/hooks';
import type { z } from 'zod';
import { problemText, watch } from './api.ts';

/** What a path of the gateway answers, kept up to date. */
export interface Live<T> {
  /** Undefined until it is known. */
  readonly data: ReadonlySignal<T | undefined>;
  /** Why it is not kept up to date. */
  readonly problem: ReadonlySignal<string | undefined>;
  /** The connection is lost, and tried again unless there is a problem. */
  readonly isLost: ReadonlySignal<boolean>;
  /** The gateway knows nothing of this path, or not any more. */
  readonly isMissing: ReadonlySignal<boolean>;
}

/** A browser has six connections to a gateway: hidden pages give theirs back. */
const isHidden = (): boolean => document.visibilityState === 'hidden';

/** Follows a path while the component is on the page. Another query starts anew, and shows the last answer until then. */
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

/** The time, each second while the component is on the page. */
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
