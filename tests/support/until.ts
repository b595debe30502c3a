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
  const { timeoutMs = 25_000 } = options;
  const deadline = performance.now() + timeoutMs * patience;
  return poll(condition, { ...options, isOver: () => performance.now() >= deadline });
}

export interface PollOptions extends Omit<UntilOptions, 'timeoutMs'> {
  /** Whether it has waited long enough. */
  readonly isOver: () => boolean;
}

/** As `until`, with an end that its caller decides. */
export async function poll<T>(condition: () => T | Promise<T>, options: PollOptions): Promise<Exclude<T, Falsy>> {
  const { what, everyMs = 10, isOver } = options;
  const begunMs = performance.now();
  for (;;) {
    const outcome = await attempt(condition);
    if (outcome.value) return outcome.value as Exclude<T, Falsy>;
    if (isOver()) {
      const error = outcome.error instanceof Error ? `, and last it threw: ${outcome.error.message}` : '';
      const waitedMs = Math.round(performance.now() - begunMs);
      throw new Error(`waited ${waitedMs} ms without success until ${what}${error}`, { cause: outcome.error });
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
