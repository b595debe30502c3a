import { type UntilOptions, until } from '../../../tests/support/until.ts';

/** So many times as long as something should take, this suite waits for it: the machine may do other things. */
const PATIENCE = 4;

/** What came in the end, but later than it should: no guarantee is violated, the machine was too slow. */
const late: string[] = [];

/** What was too slow since it was asked last. */
export const takeLate = (): readonly string[] => late.splice(0);

/** Notes something that came late. */
export const noteLate = (what: string): void => void late.push(what);

/** For a wait in a loop. */
export class Deadline {
  readonly #what: string;
  readonly #withinMs: number;
  readonly #begunMs = performance.now();

  constructor(what: string, withinMs: number) {
    this.#what = what;
    this.#withinMs = withinMs;
  }

  /** It has not come, however slow the machine is. */
  get isOver(): boolean {
    return this.#tookMs > PATIENCE * this.#withinMs;
  }

  /** It has come. */
  came(): void {
    if (this.#tookMs > this.#withinMs) noteLate(`${this.#what}: after ${seconds(this.#tookMs)}`);
  }

  get #tookMs(): number {
    return performance.now() - this.#begunMs;
  }
}

/** As `until`, with a time that only a slow machine needs: it waits longer, and notes that. */
export async function eventually<T>(
  condition: () => T | Promise<T>,
  { timeoutMs, ...options }: UntilOptions & { readonly timeoutMs: number },
) {
  const deadline = new Deadline(options.what, timeoutMs);
  const value = await until(condition, { ...options, timeoutMs: PATIENCE * timeoutMs });
  deadline.came();
  return value;
}

/** Whether something is late by more than a slow machine explains. What is late by less is noted. */
export function isTooLate(what: string, lateMs: number, barMs: number): boolean {
  if (lateMs > barMs && lateMs <= PATIENCE * barMs) noteLate(`${what}: ${seconds(lateMs)} late`);
  return !(lateMs <= PATIENCE * barMs);
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
