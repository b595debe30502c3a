import type { InterruptedTasks, Outbox, Store } from '@switchyard/store';
import type { Observe } from '../telemetry/events.ts';

/** Looks after tasks that have work to do but show no sign of life: every worker does, and any one is enough. */
export class Sweeper {
  readonly #outbox: Outbox;
  readonly #interrupted: InterruptedTasks;
  readonly #everyMs: number;
  readonly #observe: Observe;
  #timer: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> | undefined;

  constructor(store: Pick<Store, 'outbox' | 'interrupted'>, everyMs: number, observe: Observe) {
    this.#outbox = store.outbox;
    this.#interrupted = store.interrupted;
    this.#everyMs = everyMs;
    this.#observe = observe;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#sweeping ??= this.#sweep();
    }, this.#everyMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sweeping;
  }

  async #sweep(): Promise<void> {
    try {
      const swept = await this.#outbox.sweep();
      if (swept.add || swept.canceled) this.#observe({ kind: 'swept', ...swept });
      const ended = await this.#interrupted.endOverdue();
      if (ended) this.#observe({ kind: 'swept', add: 0, canceled: ended });
    } catch (error) {
      this.#observe({ kind: 'trouble', where: 'sweep', error });
    } finally {
      this.#sweeping = undefined;
    }
  }
}
