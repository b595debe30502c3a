import { availableParallelism, loadavg } from 'node:os';
import { type UntilOptions, until } from '../../../tests/support/until.ts';

/** So many times as long as something should take, this suite waits for it on a busy machine. */
const PATIENCE = 4;
/** Of this suite at once: itself, gateways, workers and servers. More cannot wait for a processor if nothing else runs. */
const OWN_PROGRAMS = 8;

export const machine = {
  /** Whether other programs had the processors in the last minutes: what was late then says nothing of Switchyard. */
  isBusy(): boolean {
    const [ofOneMinute = 0, ofFive = 0] = loadavg();
    return Math.max(ofOneMinute, ofFive) > 1.5 * availableParallelism() + OWN_PROGRAMS;
  },
};

/** What came in the end, but later than it should, on a busy machine: no guarantee is violated, it was too slow. */
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

  /** It has not come in its time; on a busy machine, in four times its time. */
  get isOver(): boolean {
    return this.#tookMs > this.#withinMs && (this.#tookMs > PATIENCE * this.#withinMs || !machine.isBusy());
  }

  /** It has come. */
  came(): void {
    if (this.#tookMs > this.#withinMs) noteLate(`${this.#what}: after ${seconds(this.#tookMs)}`);
  }

  get #tookMs(): number {
    return performance.now() - this.#begunMs;
  }
}

/** As `until`; on a busy machine it waits longer, and notes that. */
export async function eventually<T>(
  condition: () => T | Promise<T>,
  { timeoutMs, ...options }: UntilOptions & { readonly timeoutMs: number },
) {
  const deadline = new Deadline(options.what, timeoutMs);
  try {
    return await until(condition, { ...options, timeoutMs });
  } catch (error) {
    if (!machine.isBusy()) throw error;
  }
  const value = await until(condition, { ...options, timeoutMs: (PATIENCE - 1) * timeoutMs });
  deadline.came();
  return value;
}

/** Whether something is late by more than a busy machine explains. What is late by less is noted. */
export function isTooLate(what: string, lateMs: number, barMs: number): boolean {
  if (lateMs <= barMs) return false;
  if (!(lateMs <= PATIENCE * barMs) || !machine.isBusy()) return true;
  noteLate(`${what}: ${seconds(lateMs)} late`);
  return false;
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
