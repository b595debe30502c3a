import { batch, type ReadonlySignal, type Signal, useSignal, useSignalEffect } from '@preact/signals';
import { OperatorError, type Query } from '@switchyard/operator-api';
import { useEffect } from 'preact/hooks';
import type { z } from 'zod';
import { problemText, watch } from './api.ts';

/** The latest answer of a path, kept up to date. */
export interface Live<T> {
  /** Undefined until the first answer. */
  readonly data: ReadonlySignal<T | undefined>;
  /** The data answers an earlier query; the current one has no answer yet. */
  readonly isStale: boolean;
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
 * Follows a path while the component is mounted. After a change of the query the last answer stays until the new one or
 * a problem, and is stale.
 * @param path undefined: nothing is asked
 */
export function useLive<Schema extends z.ZodType>(
  path: string | undefined,
  schema: Schema,
  query: Query = {},
): Live<z.output<Schema>> {
  const data = useSignal<z.output<Schema> | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const isLost = useSignal(false);
  const isMissing = useSignal(false);
  const answered = useSignal<string | undefined>(undefined);
  const asked = JSON.stringify([path, query]);
  useEffect(() => {
    problem.value = undefined;
    if (path === undefined) return;
    isMissing.value = false;
    let stop: AbortController | undefined;
    const start = (): void => {
      stop = new AbortController();
      const shown = { data, answered, problem, isLost, isMissing };
      void follow({ path, schema, query, asked, signal: stop.signal }, shown);
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
  const isStale = data.value !== undefined && answered.value !== asked;
  return { data, isStale, problem, isLost, isMissing };
}

interface Followed<Schema> {
  readonly path: string;
  readonly schema: Schema;
  readonly query: Query;
  /** Path and query as text. */
  readonly asked: string;
  readonly signal: AbortSignal;
}

interface Shown<T> {
  readonly data: Signal<T | undefined>;
  /** What the data answers. */
  readonly answered: Signal<string | undefined>;
  readonly problem: Signal<string | undefined>;
  readonly isLost: Signal<boolean>;
  readonly isMissing: Signal<boolean>;
}

async function follow<Schema extends z.ZodType>(
  { path, schema, query, asked, signal }: Followed<Schema>,
  { data, answered, problem, isLost, isMissing }: Shown<z.output<Schema>>,
): Promise<void> {
  const onLost = (): void => {
    isLost.value = true;
  };
  // After a reconnect an answer that has not changed is not sent again.
  const onConnected = (): void => {
    isLost.value = false;
  };
  try {
    for await (const answer of watch(path, schema, { query, signal, onLost, onConnected })) {
      if (signal.aborted) return;
      batch(() => {
        data.value = answer;
        answered.value = asked;
        problem.value = undefined;
      });
    }
  } catch (error) {
    if (signal.aborted) return;
    batch(() => {
      if (answered.value !== asked) data.value = undefined;
      isMissing.value = error instanceof OperatorError && error.status === 404;
      problem.value = problemText(error);
      isLost.value = true;
    });
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
