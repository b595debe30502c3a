import { isDeepStrictEqual } from 'node:util';
import { type DrainOrder, type ReportedTurn, reportEveryMs, type Workers } from '@switchyard/store';
import type { Observe } from '../telemetry/events.ts';

export interface ReporterOptions {
  readonly workerId: string;
  /** Ids. */
  readonly agents: readonly string[];
  readonly turns: () => readonly ReportedTurn[];
  /** The order has changed. undefined: not (any more) to be drained. */
  readonly onOrder: (order: DrainOrder | undefined) => Promise<void>;
  readonly observe: Observe;
}

/**
 * Tells operators what the worker does, and hears whether they want it drained: the answer to a report says so, and a message
 * that there is a new order has the worker report at once.
 */
export class Reporter {
  readonly #workers: Workers;
  readonly #options: ReporterOptions;
  readonly #startedAt = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #unsubscribe: (() => void) | undefined;
  #reporting: Promise<void> | undefined;
  #isAsked = false;
  #order: DrainOrder | undefined;

  constructor(workers: Workers, options: ReporterOptions) {
    this.#workers = workers;
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#unsubscribe = await this.#workers.onOrder(this.#options.workerId, this.#ask);
    this.#timer = setInterval(this.#ask, reportEveryMs);
    this.#ask();
    await this.#reporting;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#unsubscribe?.();
    await this.#reporting;
    await this.#workers.withdraw(this.#options.workerId);
  }

  readonly #ask = (): void => {
    if (!this.#timer) return;
    this.#isAsked = true;
    this.#reporting ??= this.#reportUntilTold().finally(() => {
      this.#reporting = undefined;
    });
  };

  /** An order that comes while a report is under way is asked for once more. */
  async #reportUntilTold(): Promise<void> {
    while (this.#isAsked) {
      this.#isAsked = false;
      try {
        await this.#report();
      } catch (error) {
        this.#options.observe({ kind: 'trouble', where: 'report', error });
      }
    }
  }

  async #report(): Promise<void> {
    const { workerId, agents, turns, onOrder } = this.#options;
    const upForMs = Math.round(performance.now() - this.#startedAt);
    const isDraining = this.#order !== undefined;
    const order = await this.#workers.report(workerId, { agents, upForMs, isDraining, turns: turns() });
    if (isDeepStrictEqual(order, this.#order)) return;
    await onOrder(order);
    this.#order = order;
    // It is done: whoever ordered it is waiting to hear so.
    this.#isAsked = true;
  }
}
