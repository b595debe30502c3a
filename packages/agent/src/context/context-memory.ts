import type { TurnJournal } from '../journal/turn-journal.ts';
import { TurnMisuseError } from '../port/turn-errors.ts';
import type { TurnPort } from '../port/turn-port.ts';
import { readResult } from '../steps/step-result.ts';

/** The value of an agent's memory, and its version. */
export interface Remembered<T> {
  /** Undefined: nothing is stored. */
  readonly value: T | undefined;
  /** Number of writes; 0: none. */
  readonly version: number;
}

/** Tries of an update while other turns write at the same time. */
const maxTries = 20;

/**
 * A small durable JSON value that an agent keeps for a context, shared by all of its tasks there. It expires when it
 * was not used for as long as ended tasks are kept. Turns of several tasks may write at the same time: `update` loses
 * no write. A retried turn writes again: write idempotently, or in a step.
 *
 *     const memory: ContextMemory = turn.memory;
 *     await memory.set({ favourite: 'Funghi' });
 */
export class ContextMemory {
  readonly #port: TurnPort;
  readonly #journal: TurnJournal;

  constructor(port: TurnPort, journal: TurnJournal) {
    this.#port = port;
    this.#journal = journal;
  }

  /**
   * The value; undefined: nothing is stored.
   *
   *     const known = await turn.memory.get<{ favourite: string }>();
   */
  async get<T = unknown>(): Promise<T | undefined> {
    return (await this.read<T>()).value;
  }

  /**
   * The value with its version, for `setIf`.
   *
   *     const { value, version } = await turn.memory.read<string[]>();
   */
  async read<T = unknown>(): Promise<Remembered<T>> {
    const { json, version } = await this.#journal.runEffect(() => this.#port.context.read());
    return { value: readResult(json ?? ''), version };
  }

  /**
   * Replaces any value.
   *
   *     await turn.memory.set({ favourite: 'Funghi' });
   *
   * @returns its new version
   */
  async set(value: unknown): Promise<number> {
    return (await this.#write(value)) ?? 0;
  }

  /**
   * Replaces the value if it has this version.
   *
   *     const { value = [], version } = await turn.memory.read<string[]>();
   *     const isWritten = (await turn.memory.setIf(version, [...value, turn.text])) !== undefined;
   *
   * @returns its new version; undefined if it has another one
   */
  setIf(version: number, value: unknown): Promise<number | undefined> {
    return this.#write(value, version);
  }

  /**
   * Changes the value, whoever else writes at the same time.
   *
   *     const visits = await turn.memory.update<number>((count = 0) => count + 1);
   *
   * @param change makes the new value from the current one; called again if another turn has written in between
   */
  async update<T>(change: (value: T | undefined) => T | Promise<T>): Promise<T> {
    for (let tries = 0; tries < maxTries; tries++) {
      const { value, version } = await this.read<T>();
      const next = await change(value);
      if ((await this.setIf(version, next)) !== undefined) return next;
    }
    throw new Error(`The memory of this context was written ${maxTries} times by others while it was being updated.`);
  }

  #write(value: unknown, ifVersion?: number): Promise<number | undefined> {
    const json: string | undefined = JSON.stringify(value);
    if (json === undefined)
      throw new TurnMisuseError(`The memory of a context is a JSON value, not ${typeof value}; null forgets it.`);
    return this.#journal.runEffect(() => this.#port.context.write(json, ifVersion));
  }
}
