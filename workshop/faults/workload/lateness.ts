import { availableParallelism, loadavg } from 'node:os';
import { poll, type UntilOptions } from '../../../tests/support/until.ts';

/** So many times as long as something should take, this suite waits for it on a slow machine. */
const LONGER = 4;
/** Of this suite at once: itself, gateways, workers and servers. More cannot wait for a processor if nothing else runs. */
const OWN_PROGRAMS = 8;

export const machine = {
  /**
   * Whether what was late says nothing of Switchyard: other programs had the processors in the last minutes, or it is
   * one of CI's, which are slow at times whatever their load is (docs/adr/0144).
   */
  isSlow(): boolean {
    const [ofOneMinute = 0, ofFive = 0] = loadavg();
    return Boolean(process.env.CI) || Math.max(ofOneMinute, ofFive) > 1.5 * availableParallelism() + OWN_PROGRAMS;
  },
};

/** What came in the end, but later than it should, on a slow machine: no guarantee is violated, it was too slow. */
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

  /** It has not come in its time; on a slow machine, in four times its time. */
  get isOver(): boolean {
    return this.#tookMs > this.#withinMs && (this.#tookMs > LONGER * this.#withinMs || !machine.isSlow());
  }

  /** It has come. */
  came(): void {
    if (this.#tookMs > this.#withinMs) noteLate(`${this.#what}: after ${seconds(this.#tookMs)}`);
  }

  get #tookMs(): number {
    return performance.now() - this.#begunMs;
  }
}

/** As `until`; on a slow machine it waits longer, and notes that. */
export async function eventually<T>(
  condition: () => T | Promise<T>,
  { timeoutMs, ...options }: UntilOptions & { readonly timeoutMs: number },
) {
  const deadline = new Deadline(options.what, timeoutMs);
  const value = await poll(condition, { ...options, isOver: () => deadline.isOver });
  deadline.came();
  return value;
}

/** Whether something is late by more than a slow machine explains. What is late by less is noted. */
export function isTooLate(what: string, lateMs: number, barMs: number): boolean {
  if (lateMs <= barMs) return false;
  if (!(lateMs <= LONGER * barMs) || !machine.isSlow()) return true;
  noteLate(`${what}: ${seconds(lateMs)}, ${seconds(barMs)} are allowed`);
  return false;
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
