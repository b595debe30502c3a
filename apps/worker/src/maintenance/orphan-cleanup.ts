import { Conversations } from '@switchyard/conversations';
import type { Shard, Store } from '@switchyard/store';
import type { Emit } from '../telemetry/events.ts';
import { PartPoller } from '../timing/timing.ts';

/** Cancels tasks whose caller's task has ended, when they are due; and on a timer. */
export class OrphanCleanup {
  readonly #store: Pick<Store, 'orphans' | 'dueWork' | 'inside'>;
  readonly #conversations: Conversations;
  readonly #emit: Emit;
  readonly #poller: PartPoller<Shard>;
  #unlisten: (() => void) | undefined;

  constructor(store: Pick<Store, 'orphans' | 'dueWork' | 'inside'>, everyMs: number, emit: Emit) {
    this.#store = store;
    this.#conversations = new Conversations(store.inside);
    this.#emit = emit;
    const onError = (error: unknown): void => emit({ kind: 'error', where: 'orphan-cleanup', err: error });
    this.#poller = new PartPoller({ everyMs, run: (shards) => this.#cleanUp(shards), onError });
  }

  start(): void {
    this.#unlisten = this.#store.dueWork.listen('orphans', this.#poller.request);
    this.#poller.start();
  }

  stop(): Promise<void> {
    this.#unlisten?.();
    return this.#poller.stop();
  }

  async #cleanUp(shards: readonly Shard[] | undefined): Promise<void> {
    const canceled = await this.#store.orphans.end(this.#conversations, shards);
    if (canceled) this.#emit({ kind: 'orphans-canceled', canceled });
  }
}
