import type { TurnJournal } from '../journal/turn-journal.ts';
import { TurnMisuseError } from '../port/turn-errors.ts';
import type { TurnPort } from '../port/turn-port.ts';
import { readResult } from '../steps/step-result.ts';

/** What an agent remembers, and how often it was written. */
export interface Remembered<T> {
  /** Undefined: nothing yet, or no longer. */
  readonly value: T | undefined;
  /** 0: never written. */
  readonly version: number;
}

/** So often others may come in between. */
const mostTries = 20;

/**
 * A small durable JSON value that an agent keeps for a context: of one client's conversation, over all its tasks at
 * this agent. It expires when it has not been used for as long as ended tasks are kept. Turns of several tasks may
 * write it at the same time: `update` loses nothing. A retried turn writes again, so write what can be written twice,
 * or do it in a step.
 */
export class ContextMemory {
  readonly #port: TurnPort;
  readonly #journal: TurnJournal;

  constructor(port: TurnPort, journal: TurnJournal) {
    this.#port = port;
    this.#journal = journal;
  }

  async get<T = unknown>(): Promise<T | undefined> {
    return (await this.read<T>()).value;
  }

  async read<T = unknown>(): Promise<Remembered<T>> {
    const { json, version } = await this.#journal.reach(() => this.#port.context.read());
    return { value: readResult(json ?? ''), version };
  }

  /** Replaces it, whatever it was. @returns its new version */
  async set(value: unknown): Promise<number> {
    return (await this.#write(value)) ?? 0;
  }

  /** Replaces it if it still has this version. @returns its new version; undefined if it was written meanwhile */
  setIf(version: number, value: unknown): Promise<number | undefined> {
    return this.#write(value, version);
  }

  /** @param change from the present value to the next; called again if another turn has written in between */
  async update<T>(change: (value: T | undefined) => T): Promise<T> {
    for (let tries = 0; tries < mostTries; tries++) {
      const { value, version } = await this.read<T>();
      const next = change(value);
      if ((await this.setIf(version, next)) !== undefined) return next;
    }
    throw new Error(`The memory of this context was written ${mostTries} times by others while it was being updated.`);
  }

  #write(value: unknown, ifVersion?: number): Promise<number | undefined> {
    const json: string | undefined = JSON.stringify(value);
    if (json === undefined)
      throw new TurnMisuseError(`The memory of a context is a JSON value, not ${typeof value}; null forgets it.`);
    return this.#journal.reach(() => this.#port.context.write(json, ifVersion));
  }
}
