import type { Shard, Store } from '@switchyard/store';
import { AgentIndexes, InterruptedTasks, Room } from '@switchyard/upkeep';
import type { Emit } from '../telemetry/events.ts';
import { PartPoller, Poller } from '../timing/timing.ts';

/** Readers of the indexes skip expired tasks that are not trimmed yet. */
const TRIM_EVERY_MS = 10_000;
/** There is an index per agent and shard: an idle worker must not cost more with more of them. */
const INDEXES_AT_ONCE = 4;

/** How often the memory of Redis is checked: seldom while there is much room. */
const ROOM_EVERY_MS = 1_000;
const MUCH_ROOM_EVERY_MS = 5_000;
/** Percent of the memory below the limit from which tasks are dropped. */
const MUCH_ROOM = 15;

type SweptStore = Pick<Store, 'outbox' | 'dueWork' | 'inside' | 'settings'>;

/** Repairs tasks that have work to do but no live owner, when they are due; and on a timer. */
export class Sweeper {
  readonly #store: SweptStore;
  readonly #interrupted: InterruptedTasks;
  readonly #room: Room;
  readonly #emit: Emit;
  readonly #onError: (error: unknown) => void;
  readonly #poller: PartPoller<Shard>;
  readonly #trimmer: Poller;
  readonly #roomMaker: Poller;
  #checkRoomAt = 0;
  #unlisten: readonly (() => void)[] = [];

  constructor(store: SweptStore, everyMs: number, emit: Emit) {
    this.#store = store;
    this.#interrupted = new InterruptedTasks(store.inside);
    this.#room = new Room(store.inside);
    this.#emit = emit;
    this.#onError = (error) => emit({ kind: 'error', where: 'sweep', err: error });
    this.#poller = new PartPoller({ everyMs, run: (shards) => this.#run(shards), onError: this.#onError });
    const indexes = new AgentIndexes(store.inside);
    const trim = () => indexes.trim(INDEXES_AT_ONCE);
    this.#trimmer = new Poller({ everyMs: TRIM_EVERY_MS, run: trim, onError: this.#onError });
    const makeRoom = () => this.#makeRoom();
    this.#roomMaker = new Poller({ everyMs: ROOM_EVERY_MS, run: makeRoom, onError: this.#onError });
  }

  start(): void {
    const { dueWork } = this.#store;
    this.#unlisten = (['outbox', 'interrupted'] as const).map((kind) => dueWork.listen(kind, this.#poller.request));
    this.#poller.start();
    this.#trimmer.start();
    if (this.#store.settings.makeRoomAtPercent > 0) this.#roomMaker.start();
  }

  async stop(): Promise<void> {
    for (const unlisten of this.#unlisten) unlisten();
    await Promise.all([this.#poller.stop(), this.#trimmer.stop(), this.#roomMaker.stop()]);
  }

  /** If a task cannot be swept, tasks that have waited too long for their client still end. */
  async #run(shards: readonly Shard[] | undefined): Promise<void> {
    await this.#sweep(shards).catch(this.#onError);
    await this.#endOverdue(shards);
  }

  async #makeRoom(): Promise<void> {
    if (performance.now() < this.#checkRoomAt) return;
    const { dropped, keptMs, usedShare } = await this.#room.make();
    const hasMuch = usedShare * 100 < this.#store.settings.makeRoomAtPercent - MUCH_ROOM;
    this.#checkRoomAt = performance.now() + (hasMuch ? MUCH_ROOM_EVERY_MS : 0);
    if (dropped) this.#emit({ kind: 'room-made', dropped, keptMs });
  }

  async #sweep(shards: readonly Shard[] | undefined): Promise<void> {
    const { added, canceled } = await this.#store.outbox.sweep(shards);
    if (added || canceled) this.#emit({ kind: 'swept', added, canceled });
  }

  async #endOverdue(shards: readonly Shard[] | undefined): Promise<void> {
    const canceled = await this.#interrupted.endOverdue(shards);
    if (canceled) this.#emit({ kind: 'overdue-canceled', canceled });
  }
}
