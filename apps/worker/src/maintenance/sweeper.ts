import type { AgentIndexes, InterruptedTasks, Outbox, Room, Store } from '@switchyard/store';
import type { Emit } from '../telemetry/events.ts';
import { Poller } from '../timing/timing.ts';

/** Readers of the indexes skip expired tasks that are not trimmed yet. */
const TRIM_EVERY_MS = 10_000;

/** How often the memory of Redis is checked: seldom while there is much room. */
const ROOM_EVERY_MS = 1_000;
const MUCH_ROOM_EVERY_MS = 5_000;
/** Percent of the memory below the limit from which tasks are dropped. */
const MUCH_ROOM = 15;

/** Repairs tasks that have work to do but no live owner. Every worker does so, and one is enough. */
export class Sweeper {
  readonly #outbox: Outbox;
  readonly #interrupted: InterruptedTasks;
  readonly #indexes: AgentIndexes;
  readonly #room: Room;
  readonly #makeRoomAtPercent: number;
  readonly #emit: Emit;
  readonly #onError: (error: unknown) => void;
  readonly #poller: Poller;
  readonly #trimmer: Poller;
  readonly #roomMaker: Poller;
  #checkRoomAt = 0;

  constructor(
    store: Pick<Store, 'outbox' | 'interrupted' | 'agentIndexes' | 'room' | 'settings'>,
    everyMs: number,
    emit: Emit,
  ) {
    this.#outbox = store.outbox;
    this.#interrupted = store.interrupted;
    this.#indexes = store.agentIndexes;
    this.#room = store.room;
    this.#makeRoomAtPercent = store.settings.makeRoomAtPercent;
    this.#emit = emit;
    this.#onError = (error) => emit({ kind: 'error', where: 'sweep', err: error });
    this.#poller = new Poller({ everyMs, run: () => this.#run(), onError: this.#onError });
    const trim = () => this.#indexes.trim();
    this.#trimmer = new Poller({ everyMs: TRIM_EVERY_MS, run: trim, onError: this.#onError });
    const makeRoom = () => this.#makeRoom();
    this.#roomMaker = new Poller({ everyMs: ROOM_EVERY_MS, run: makeRoom, onError: this.#onError });
  }

  start(): void {
    this.#poller.start();
    this.#trimmer.start();
    if (this.#makeRoomAtPercent > 0) this.#roomMaker.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#poller.stop(), this.#trimmer.stop(), this.#roomMaker.stop()]);
  }

  /** If a task cannot be swept, tasks that have waited too long for their client still end. */
  async #run(): Promise<void> {
    await this.#sweep().catch(this.#onError);
    await this.#endOverdue();
  }

  async #makeRoom(): Promise<void> {
    if (performance.now() < this.#checkRoomAt) return;
    const { dropped, keptMs, usedShare } = await this.#room.make();
    const hasMuch = usedShare * 100 < this.#makeRoomAtPercent - MUCH_ROOM;
    this.#checkRoomAt = performance.now() + (hasMuch ? MUCH_ROOM_EVERY_MS : 0);
    if (dropped) this.#emit({ kind: 'room-made', dropped, keptMs });
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
