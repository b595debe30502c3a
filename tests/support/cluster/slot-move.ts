import type { Redis } from 'ioredis';

export interface Move {
  readonly slot: number;
  readonly from: Redis;
  readonly to: Redis;
}

/** A slot on its way from one master of a Cluster to another, key by key, as `redis-cli --cluster reshard` moves it. */
export class SlotMove {
  readonly #move: Move;
  readonly #target: string;

  private constructor(move: Move, target: string) {
    this.#move = move;
    this.#target = target;
  }

  static async begin(move: Move): Promise<SlotMove> {
    const { slot, from, to } = move;
    const [source, target] = await Promise.all([from, to].map(async (node) => String(await node.cluster('MYID'))));
    await to.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', source ?? '');
    await from.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', target ?? '');
    return new SlotMove(move, target ?? '');
  }

  /** @param count at most so many @returns how many it has moved; 0: none is left */
  async moveKeys(count: number): Promise<number> {
    const { slot, from, to } = this.#move;
    const keys = (await from.call('CLUSTER', 'GETKEYSINSLOT', slot, count)) as string[];
    if (keys.length === 0) return 0;
    const { host = '127.0.0.1', port = 0 } = to.options;
    await from.call('MIGRATE', host, port, '', 0, 5_000, 'KEYS', ...keys);
    return keys.length;
  }

  /** Call it when no key is left. The masters that have not learned it yet do so from each other. */
  async end(others: readonly Redis[] = []): Promise<void> {
    const { slot, from, to } = this.#move;
    for (const node of [to, from, ...others]) await node.call('CLUSTER', 'SETSLOT', slot, 'NODE', this.#target);
  }

  /** Moves all keys that are left, and ends. */
  async finish(): Promise<void> {
    while ((await this.moveKeys(100)) > 0);
    await this.end();
  }
}
