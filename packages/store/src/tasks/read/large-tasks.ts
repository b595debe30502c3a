import type { RedisConnection } from '@switchyard/redis';
import type { ByteBudget } from './byte-budget.ts';
import { Share } from './share.ts';
import { TaskJson } from './task-json.ts';

interface LargeTask {
  /** Names task, version and parts. */
  readonly key: string;
  readonly bytes: number;
  /** Undefined: a text was replaced meanwhile. */
  readonly read: () => Promise<readonly Buffer[] | undefined>;
}

type Reading = Promise<TaskJson | undefined>;

/** The large tasks that this process is reading or sending: each version is held once. */
export class LargeTasks {
  readonly #budget: ByteBudget;
  /** Separate for each connection: reads on one wait for Redis, reads on another give up. */
  readonly #beingRead = new WeakMap<RedisConnection, Map<string, Reading>>();
  readonly #known = new Map<string, WeakRef<TaskJson>>();
  readonly #forgotten = new FinalizationRegistry<string>((key) => {
    if (!this.#known.get(key)?.deref()) this.#known.delete(key);
  });

  constructor(budget: ByteBudget) {
    this.#budget = budget;
  }

  /** Bytes that are held. */
  get bytes(): number {
    return this.#budget.reserved;
  }

  /** @returns undefined: a text was replaced meanwhile @throws {AnswersTooLarge} */
  async get(redis: RedisConnection, task: LargeTask): Reading {
    const known = this.#known.get(task.key)?.deref();
    return known ? known.expect() : this.#readOnce(redis, task);
  }

  /**
   * JSON that is made from what a task refers to. It counts as these bytes while it is made and sent.
   * @param mostBytes that there is room for until its reader sends it: a translation counts more
   * @throws {AnswersTooLarge}
   */
  async make(bytes: number, write: () => Promise<string>, mostBytes = bytes): Promise<TaskJson> {
    const share = new Share(this.#budget, bytes, mostBytes);
    share.reserve();
    try {
      return TaskJson.large([Buffer.from(await write())], share);
    } finally {
      share.returnUnusedSoon();
    }
  }

  #readOnce(redis: RedisConnection, task: LargeTask): Reading {
    const readings = this.#beingRead.get(redis) ?? new Map<string, Reading>();
    this.#beingRead.set(redis, readings);
    const reading = readings.get(task.key) ?? this.#read(task).finally(() => readings.delete(task.key));
    readings.set(task.key, reading);
    return reading;
  }

  async #read({ key, bytes, read }: LargeTask): Reading {
    const share = new Share(this.#budget, bytes);
    share.reserve();
    try {
      const pieces = await read();
      const known = pieces && this.#known.get(key)?.deref();
      if (!known) return pieces && this.#keep(key, TaskJson.large(pieces, share));
      // Another connection has read it meanwhile.
      share.returnUnused();
      return known.expect();
    } finally {
      share.returnUnusedSoon();
    }
  }

  #keep(key: string, json: TaskJson): TaskJson {
    this.#known.set(key, new WeakRef(json));
    this.#forgotten.register(json, key);
    return json;
  }
}
