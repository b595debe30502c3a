import type { RedisConnection } from '@switchyard/redis';
import {
  type AcceptDependencies,
  latestFirst,
  type Page,
  type PageQuery,
  pageOf,
  type Shards,
} from '@switchyard/store/inside';
import type { DeadLetterStore, RetryResult } from './dead-letter.ts';
import { type DeadTurn, DeadTurns } from './dead-turns.ts';
import { type DeadWebhook, DeadWebhooks } from './dead-webhooks.ts';
import { type Failure, isOfAttempt, readFailures } from './task-failures.ts';

export type DeadLetter = DeadTurn | DeadWebhook;
export type DeadLetterKind = DeadLetter['kind'];

/** Dead letters must match all fields that are set. */
export interface DeadLetterFilter {
  readonly kind?: DeadLetterKind | undefined;
  readonly agent?: string | undefined;
  readonly tenant?: string | undefined;
  /** Part of it, or of why the last attempt failed, in upper or lower case. */
  readonly reason?: string | undefined;
  readonly sinceMs?: number | undefined;
}

interface Entry {
  readonly id: string;
  readonly diedMs: number;
}

/** Dead letters of one kind in one shard that are listed: the latest. */
const LISTED = 10_000;
const READ_AT_ONCE = 200;
const kinds: readonly DeadLetterKind[] = ['turn', 'webhook'];

/** Messages and webhooks of all principals that were given up: operators list, read, retry and delete them. */
export class DeadLetters {
  readonly #redis: RedisConnection;
  readonly #shards: Shards;
  readonly #turns: DeadLetterStore<DeadTurn>;
  readonly #webhooks: DeadLetterStore<DeadWebhook>;

  constructor(dependencies: AcceptDependencies) {
    this.#redis = dependencies.redis;
    this.#shards = dependencies.shards;
    this.#turns = new DeadTurns(dependencies);
    this.#webhooks = new DeadWebhooks(dependencies);
  }

  /** The latest first. @throws {InvalidPageToken} */
  async list(query: PageQuery, filter: DeadLetterFilter = {}): Promise<Page<DeadLetter>> {
    const page = pageOf(await this.#matching(filter), query, {
      list: `dead-letters ${JSON.stringify(filter)}`,
      positionOf: ({ id, diedMs }) => latestFirst(diedMs, id),
    });
    const items = await Promise.all(page.items.map(({ id }) => this.get(id)));
    // Some have expired with their tasks.
    return { ...page, items: items.filter((item) => item !== undefined) };
  }

  /** The latest first, 10,000 at most. */
  async ids(filter: DeadLetterFilter): Promise<string[]> {
    const matching = await this.#matching(filter);
    matching.sort((a, b) => b.diedMs - a.diedMs);
    return matching.slice(0, LISTED).map(({ id }) => id);
  }

  /** @returns undefined: there is no such dead letter */
  get(id: string): Promise<DeadLetter | undefined> {
    return this.#store(kindOf(id)).get(id);
  }

  /** As `get`, and why the last attempt failed, in full. */
  async detail(id: string): Promise<(DeadLetter & { readonly failure?: Failure }) | undefined> {
    const letter = await this.get(id);
    if (letter?.kind !== 'turn') return letter;
    const failures = await readFailures({ redis: this.#redis, shards: this.#shards }, letter.taskId);
    const failure = failures.findLast(isOfAttempt);
    return failure ? { ...letter, failure } : letter;
  }

  /** Sends a message again, as a new task; resumes the deliveries to a webhook where they stopped. */
  retry(id: string): Promise<RetryResult> {
    return this.#store(kindOf(id)).retry(id);
  }

  /** Keeps the task; deletes a webhook with its deliveries. @returns false: there is no such dead letter */
  delete(id: string): Promise<boolean> {
    return this.#store(kindOf(id)).delete(id);
  }

  /** How many there are. A dead letter that expired with its task counts until there is another one of its kind. */
  async count(): Promise<Readonly<Record<DeadLetterKind, number>>> {
    const [turn, webhook] = await Promise.all([this.#count('turn'), this.#count('webhook')]);
    return { turn, webhook };
  }

  async #count(kind: DeadLetterKind): Promise<number> {
    const store = this.#store(kind);
    const counts = await Promise.all(this.#shards.all.map((keys) => this.#redis.zcard(store.index(keys))));
    return counts.reduce((total, count) => total + count, 0);
  }

  async #matching(filter: DeadLetterFilter): Promise<Entry[]> {
    const listed = filter.kind ? [filter.kind] : kinds;
    const indexes = this.#shards.all.flatMap((keys) => listed.map((kind) => this.#store(kind).index(keys)));
    const found = await Promise.all(indexes.map((index) => this.#entries(index, filter.sinceMs)));
    const entries = found.flat();
    if (filter.agent === undefined && filter.tenant === undefined && filter.reason === undefined) return entries;
    const matching: Entry[] = [];
    for (let i = 0; i < entries.length; i += READ_AT_ONCE)
      matching.push(...(await this.#filtered(entries.slice(i, i + READ_AT_ONCE), filter)));
    return matching;
  }

  async #filtered(entries: readonly Entry[], filter: DeadLetterFilter): Promise<Entry[]> {
    const letters = await Promise.all(entries.map(({ id }) => this.get(id)));
    return entries.filter((_, i) => matches(letters[i], filter));
  }

  async #entries(index: string, sinceMs = 0): Promise<Entry[]> {
    const reply = await this.#redis.zrevrangebyscore(index, '+inf', sinceMs, 'WITHSCORES', 'LIMIT', 0, LISTED);
    const entries: Entry[] = [];
    for (let i = 0; i < reply.length; i += 2) entries.push({ id: reply[i] ?? '', diedMs: Number(reply[i + 1]) });
    return entries;
  }

  #store(kind: DeadLetterKind): DeadLetterStore<DeadLetter> {
    return kind === 'turn' ? this.#turns : this.#webhooks;
  }
}

/** A dead letter of a webhook has no agent and no tenant. */
function matches(letter: DeadLetter | undefined, { agent, tenant, reason }: DeadLetterFilter): boolean {
  if (!letter) return false;
  const of = letter.kind === 'turn' ? letter : { agent: undefined, tenant: undefined };
  if (agent !== undefined && of.agent !== agent) return false;
  if (tenant !== undefined && of.tenant !== tenant) return false;
  if (reason === undefined) return true;
  const { why } = letter.kind === 'turn' ? letter : { why: undefined };
  const texts = [letter.reason, why?.kind ?? '', why?.message ?? ''];
  return texts.some((text) => text.toLowerCase().includes(reason.toLowerCase()));
}

/** The id of a delivery queue is its task's id, a dot and a number. */
function kindOf(id: string): DeadLetterKind {
  return id.includes('.') ? 'webhook' : 'turn';
}
