import type { ByteBudget } from './byte-budget.ts';
import { TaskJson } from './task-json.ts';

/** The large tasks that this process is reading, or sends just now: each version once. */
export class LargeTasks {
  readonly #budget: ByteBudget;
  readonly #beingRead = new Map<string, Promise<TaskJson | undefined>>();
  readonly #sent = new Map<string, WeakRef<TaskJson>>();
  readonly #forgotten = new FinalizationRegistry<string>((key) => {
    if (!this.#sent.get(key)?.deref()) this.#sent.delete(key);
  });

  constructor(budget: ByteBudget) {
    this.#budget = budget;
  }

  /**
   * @param key names task, version and parts
   * @param task its size in bytes, and how to read it: undefined if it was replaced meanwhile
   * @throws {AnswersTooLarge}
   */
  async get(
    key: string,
    task: { readonly bytes: number; readonly read: () => Promise<readonly Buffer[] | undefined> },
  ): Promise<TaskJson | undefined> {
    const known = this.#sent.get(key)?.deref() ?? this.#beingRead.get(key);
    if (known) return known instanceof TaskJson ? known.claim() : known;
    const reading = this.#read(task).finally(() => this.#beingRead.delete(key));
    this.#beingRead.set(key, reading);
    const json = await reading;
    if (!json) return undefined;
    this.#sent.set(key, new WeakRef(json));
    this.#forgotten.register(json, key);
    return json;
  }

  async #read({ bytes, read }: Parameters<LargeTasks['get']>[1]): Promise<TaskJson | undefined> {
    this.#budget.require(bytes);
    const pieces = await read().catch((error: unknown) => {
      this.#budget.give(bytes);
      throw error;
    });
    if (pieces) return TaskJson.large(pieces, this.#budget, bytes);
    this.#budget.give(bytes);
    return undefined;
  }
}
