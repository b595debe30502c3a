import type { AgentIndexes, InterruptedTasks, Outbox, Store } from '@switchyard/store';
import type { Emit } from '../telemetry/events.ts';
import { Poller } from '../timing/timing.ts';

/** Readers of the indexes skip expired tasks that are not trimmed yet. */
const TRIM_EVERY_MS = 10_000;

/** Repairs tasks that have work to do but no live owner. Every worker does so, and one is enough. */
export class Sweeper {
  readonly #outbox: Outbox;
  readonly #interrupted: InterruptedTasks;
  readonly #indexes: AgentIndexes;
  readonly #emit: Emit;
  readonly #onError: (error: unknown) => void;
  readonly #poller: Poller;
  readonly #trimmer: Poller;

  constructor(store: Pick<Store, 'outbox' | 'interrupted' | 'agentIndexes'>, everyMs: number, emit: Emit) {
    this.#outbox = store.outbox;
    this.#interrupted = store.interrupted;
    this.#indexes = store.agentIndexes;
    this.#emit = emit;
    this.#onError = (error) => emit({ kind: 'error', where: 'sweep', err: error });
    this.#poller = new Poller({ everyMs, run: () => this.#run(), onError: this.#onError });
    const trim = () => this.#indexes.trim();
    this.#trimmer = new Poller({ everyMs: TRIM_EVERY_MS, run: trim, onError: this.#onError });
  }

  start(): void {
    this.#poller.start();
    this.#trimmer.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#poller.stop(), this.#trimmer.stop()]);
  }

  /** If a task cannot be swept, tasks that have waited too long for their client still end. */
  async #run(): Promise<void> {
    await this.#sweep().catch(this.#onError);
    await this.#endOverdue();
  }

  async #sweep(): Promise<void> {
    const { added, canceled } = await this.#outbox.sweep();
    if (added || canceled) this.#emit({ kind: 'swept', added, canceled });
  }

  async #endOverdue(): Promise<void> {
    const canceled = await this.#interrupted.endOverdue();
    if (canceled) this.#emit({ kind: 'overdue-canceled', canceled });
  }
}
