import { setTimeout as delay } from 'node:timers/promises';

/**
 * CI waits four times as long as a developer for what must happen at last: its machines may do other things, and were
 * seen to take three times as long as an idle one for everything, and half a minute to start a process.
 */
export const patience = process.env.CI ? 4 : 1;

export interface UntilOptions {
  /** What is awaited, in words, for the error: "the task is completed". */
  readonly what: string;
  /** Default: 25,000, because a machine may do other things. CI waits `patience` times as long. */
  readonly timeoutMs?: number;
  readonly everyMs?: number;
}

type Falsy = false | 0 | '' | null | undefined;

/**
 * Polls until the condition is truthy, and returns its value.
 * Throws an error that names what was awaited; if the condition threw last, that is the cause.
 */
export async function until<T>(condition: () => T | Promise<T>, options: UntilOptions): Promise<Exclude<T, Falsy>> {
  const { everyMs = 10 } = options;
  const timeoutMs = (options.timeoutMs ?? 25_000) * patience;
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const outcome = await attempt(condition);
    if (outcome.value) return outcome.value as Exclude<T, Falsy>;
    if (Date.now() >= deadline) {
      const error = outcome.error instanceof Error ? `, and last it threw: ${outcome.error.message}` : '';
      throw new Error(`waited ${timeoutMs} ms without success until ${options.what}${error}`, { cause: outcome.error });
    }
    await delay(everyMs);
  }
}

async function attempt<T>(condition: () => T | Promise<T>): Promise<{ value?: T; error?: unknown }> {
  try {
    return { value: await condition() };
  } catch (error) {
    return { error };
  }
}
