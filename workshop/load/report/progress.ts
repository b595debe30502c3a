import type { Interval } from '../measure/recorder.ts';
import { count, ms } from './figures.ts';

/** Between lines where nobody looks, in intervals. */
const LINE_EVERY = 5;

/**
 * How a run goes, second by second: one line that changes where somebody looks, one every few seconds where nobody
 * does.
 */
export class Progress {
  readonly #out: NodeJS.WriteStream;
  readonly #of: string;
  #lines = 0;
  #isOpen = false;

  /** @param of how long the run will take, in words */
  constructor(out: NodeJS.WriteStream, of: string) {
    this.#out = out;
    this.#of = of;
  }

  show(interval: Interval): void {
    const line = this.#line(interval);
    if (this.#out.isTTY) this.#out.write(`\r\x1b[2K${line.slice(0, (this.#out.columns ?? 80) - 1)}`);
    else if (this.#lines++ % LINE_EVERY === 0) this.#out.write(`${line}\n`);
    this.#isOpen = this.#out.isTTY === true;
  }

  /** Something else is to be said. */
  say(text: string): void {
    this.end();
    this.#out.write(`${text}\n`);
  }

  end(): void {
    if (this.#isOpen) this.#out.write('\n');
    this.#isOpen = false;
  }

  #line({ seconds, offered, answered, others, events, errors, open, p50, p99 }: Interval): string {
    const parts = [
      `${seconds.toFixed(0).padStart(3)} of ${this.#of}`,
      `offered ${count(offered)}/s`,
      ...(answered + others > 0 || events === 0 ? [`answered ${count(answered + others)}/s`] : []),
      ...(events > 0 ? [`events ${count(events)}/s`] : []),
      `p50 ${ms(p50)}`,
      `p99 ${ms(p99)}`,
      `errors ${count(errors)}`,
      `open ${count(open)}`,
    ];
    return parts.join('  ');
  }
}
