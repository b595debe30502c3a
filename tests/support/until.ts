import { setTimeout as delay } from 'node:timers/promises';

export interface UntilOptions {
  /** What is awaited, in words: "the task is completed". Part of the error. */
  readonly what: string;
  readonly timeoutMs?: number;
  readonly everyMs?: number;
}

type Falsy = false | 0 | '' | null | undefined;

/**
 * Asks again and again until the answer is truthy, and returns it.
 * Throws an error that names what was awaited; a condition that still throws at the end is its cause.
 */
export async function until<T>(condition: () => T | Promise<T>, options: UntilOptions): Promise<Exclude<T, Falsy>> {
  const { timeoutMs = 5_000, everyMs = 10 } = options;
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
