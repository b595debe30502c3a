import type { Redis } from 'ioredis';
import { expect } from 'vitest';
import type { ShardKeys } from '../../src/deployment/keys.ts';
import { queueRoot } from '../../src/queue/queue-names.ts';

/** Creates a task of an agent with a number of messages, and begins its first turn as the run `r`. @returns its id */
export type Begin = (agent: string, messages: number) => Promise<string>;

export interface NeighbourDependencies {
  readonly redis: Redis;
  readonly keys: ShardKeys;
  readonly begin: Begin;
}

/** A second task that publishes in the same script calls as the tested one: a growing text, a message and metadata. */
export class Neighbour {
  readonly #id: string;
  readonly #keys: ShardKeys;
  readonly #redis: Redis;
  readonly #begin: Begin;
  #written = 0;

  private constructor(id: string, { keys, redis, begin }: NeighbourDependencies) {
    this.#id = id;
    this.#keys = keys;
    this.#redis = redis;
    this.#begin = begin;
  }

  static async open(port: NeighbourDependencies): Promise<Neighbour> {
    return new Neighbour(await port.begin('b', 1), port);
  }

  /** The next two events, as arguments of append.lua. */
  events(): (string | number)[] {
    const number = this.#written + 1;
    this.#written += 2;
    const chunk = ['artifact', '', '{}', 1, 'append', number === 1 ? '{"artifactId":"n"' : '', '', ',1', ''];
    const status = ['status', `{"n":${number}}`, 'w', '', '', `{"messageId":"${number}"}`, '1', ''];
    const both = number % 4 === 1 ? [chunk, status] : [status, chunk];
    return [this.#id, queueRoot('b', this.#keys), '1.r', number, '', 2, 17, ...both.flat()];
  }

  /** The outcome of another new task; every second one has a waiting message. */
  async outcome(): Promise<{ verdict: string; args: (string | number)[] }> {
    const agent = `b${this.#written}`;
    const isLast = this.#written % 4 === 0;
    const id = await this.#begin(agent, isLast ? 1 : 2);
    const outcome = ['status', '', 'C', '1', '', '', '', ''];
    const args = [id, queueRoot(agent, this.#keys), '1.r', 1, '', 1, 8, ...outcome];
    return { verdict: isLast ? 'idle' : 'more', args };
  }

  async expectUntouched(): Promise<void> {
    const key = this.#keys.task(this.#id);
    const { state, turn_seq, metadata, h, p1, ...more } = await this.#redis.hgetall(key);
    const text = async (inside: string | undefined, outside: string | undefined): Promise<string> =>
      inside ?? (await this.#redis.get(outside ?? '')) ?? '';
    expect([state, turn_seq, metadata]).toEqual(['w', String(this.#written), `{"n":${this.#written - 1}}`]);
    expect((await text(h, more['@h'])).split('\t').length - 2).toBe(this.#written / 2);
    expect(await text(p1, more['@p1'])).toBe(',1'.repeat(this.#written / 2));
    expect(await this.#redis.xlen(this.#keys.events(this.#id))).toBe(this.#written + 1);
  }
}
