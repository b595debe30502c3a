import type { RedisConnection } from '../redis/connection.ts';
import type { Shards } from '../redis/shards.ts';
import type { AcceptPort } from '../tasks/accept.ts';
import type { DeadLetterStore, RetryResult } from './dead-letter.ts';
import { type DeadTurn, DeadTurns } from './dead-turns.ts';
import { type DeadWebhook, DeadWebhooks } from './dead-webhooks.ts';
import { latestFirst, type Page, type PageQuery, pageOf } from './page.ts';

export type DeadLetter = DeadTurn | DeadWebhook;
export type DeadLetterKind = DeadLetter['kind'];

interface Entry {
  readonly id: string;
  readonly diedMs: number;
}

/** Of one kind in one shard: the latest. */
const LISTED = 10_000;
const kinds: readonly DeadLetterKind[] = ['turn', 'webhook'];

/** Messages and webhooks of all principals that were given up: operators list, read, retry and delete them. */
export class DeadLetters {
  readonly #redis: RedisConnection;
  readonly #shards: Shards;
  readonly #turns: DeadLetterStore<DeadTurn>;
  readonly #webhooks: DeadLetterStore<DeadWebhook>;

  constructor(port: AcceptPort) {
    this.#redis = port.redis;
    this.#shards = port.shards;
    this.#turns = new DeadTurns(port);
    this.#webhooks = new DeadWebhooks(port);
  }

  /** The latest first. @param kind unset: of both kinds. @throws {InvalidPageToken} */
  async list(query: PageQuery, kind?: DeadLetterKind): Promise<Page<DeadLetter>> {
    const listed = kind ? [kind] : kinds;
    const indexes = this.#shards.all.flatMap((keys) => listed.map((one) => this.#store(one).index(keys)));
    const found = await Promise.all(indexes.map((index) => this.#entries(index)));
    const page = pageOf(found.flat(), query, {
      list: `dead-letters ${kind ?? ''}`,
      positionOf: ({ id, diedMs }) => latestFirst(diedMs, id),
    });
    const items = await Promise.all(page.items.map(({ id }) => this.get(id)));
    // Some have expired with their tasks.
    return { ...page, items: items.filter((item) => item !== undefined) };
  }

  /** @returns undefined: there is no such dead letter */
  get(id: string): Promise<DeadLetter | undefined> {
    return this.#store(kindOf(id)).get(id);
  }

  /** A message is sent again, as a new task; deliveries to a webhook go on where they stopped. */
  retry(id: string): Promise<RetryResult> {
    return this.#store(kindOf(id)).retry(id);
  }

  /** The task stays; a webhook is deleted with its deliveries. @returns false: there is no such dead letter */
  delete(id: string): Promise<boolean> {
    return this.#store(kindOf(id)).delete(id);
  }

  /** How many there are. One that has expired with its task counts until the next one of its kind. */
  async count(): Promise<Readonly<Record<DeadLetterKind, number>>> {
    const [turn, webhook] = await Promise.all([this.#count('turn'), this.#count('webhook')]);
    return { turn, webhook };
  }

  async #count(kind: DeadLetterKind): Promise<number> {
    const store = this.#store(kind);
    const counts = await Promise.all(this.#shards.all.map((keys) => this.#redis.zcard(store.index(keys))));
    return counts.reduce((total, count) => total + count, 0);
  }

  async #entries(index: string): Promise<Entry[]> {
    const reply = await this.#redis.zrevrange(index, 0, LISTED - 1, 'WITHSCORES');
    const entries: Entry[] = [];
    for (let i = 0; i < reply.length; i += 2) entries.push({ id: reply[i] ?? '', diedMs: Number(reply[i + 1]) });
    return entries;
  }

  #store(kind: DeadLetterKind): DeadLetterStore<DeadLetter> {
    return kind === 'turn' ? this.#turns : this.#webhooks;
  }
}

/** The id of a delivery queue is its task's with a number behind a dot. */
function kindOf(id: string): DeadLetterKind {
  return id.includes('.') ? 'webhook' : 'turn';
}
