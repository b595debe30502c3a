import type { InterruptedTasks, Outbox, Store } from '@switchyard/store';
import type { Emit } from '../telemetry/events.ts';
import { Poller } from '../timing/timing.ts';

/** Repairs tasks that have work to do but no live owner. Every worker does so, and one is enough. */
export class Sweeper {
  readonly #outbox: Outbox;
  readonly #interrupted: InterruptedTasks;
  readonly #emit: Emit;
  readonly #poller: Poller;

  constructor(store: Pick<Store, 'outbox' | 'interrupted'>, everyMs: number, emit: Emit) {
    this.#outbox = store.outbox;
    this.#interrupted = store.interrupted;
    this.#emit = emit;
    const onError = (error: unknown): void => emit({ kind: 'error', where: 'sweep', error });
    this.#poller = new Poller({ everyMs, run: () => this.#sweep(), onError });
  }

  start(): void {
    this.#poller.start();
  }

  stop(): Promise<void> {
    return this.#poller.stop();
  }

  async #sweep(): Promise<void> {
    const swept = await this.#outbox.sweep();
    if (swept.add || swept.canceled) this.#emit({ kind: 'swept', ...swept });
    const ended = await this.#interrupted.endOverdue();
    if (ended) this.#emit({ kind: 'swept', add: 0, canceled: ended });
  }
}
