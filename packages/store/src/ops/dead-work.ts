import type { DeadTurn } from '../dead-turns/dead-turns.ts';
import { type DeadLetterDetails, parseCursor } from '../push/delivery-queue.ts';
import { parseDeliveryQueue } from '../queue/job.ts';
import type { ShardKeys } from '../redis/keys.ts';
import type { Acceptance } from '../tasks/submission.ts';
import type { OpsPort } from './ops-port.ts';
import { latestFirst, type Page, type PageQuery, pageOf } from './page.ts';

/** Work that was given up: a message at which every attempt died, or a webhook that could not be told. */
export type DeadWork = ({ readonly kind: 'turn'; readonly id: string } & DeadTurn) | DeadWebhook;

export interface DeadWebhook extends DeadLetterDetails {
  readonly kind: 'webhook';
  readonly id: string;
  readonly taskId: string;
  /** ISO time. */
  readonly diedAt: string;
  /** Of the last event that it was told. */
  readonly lastSeq: number;
}

/** - `missing`: there is no such dead work. `refused`: the message could not be accepted again, and why. */
export type Retrial =
  | { readonly verdict: 'retried'; readonly taskId: string }
  | { readonly verdict: 'missing' }
  | { readonly verdict: 'refused'; readonly why: Exclude<Acceptance['verdict'], 'accepted'> };

interface Corpse {
  readonly id: string;
  readonly diedMs: number;
}

/** Of one kind in one shard: those that died last. */
const LISTED = 10_000;

/** The id of a dead turn is its task's; that of a webhook has its delivery queue's number behind. */
const isDeliveryQueue = (id: string): boolean => id.includes('.');

/** What was given up, of all kinds: to be looked into, tried again, or forgotten. */
export class DeadLetterOffice {
  readonly #port: OpsPort;

  constructor(port: OpsPort) {
    this.#port = port;
  }

  /** The latest first. @throws {InvalidPageToken} */
  async list(query: PageQuery): Promise<Page<DeadWork>> {
    const { shards } = this.#port;
    const found = await Promise.all(
      shards.all.flatMap(({ dead, deadPush }) => [dead, deadPush]).map((key) => this.#corpses(key)),
    );
    const page = pageOf(found.flat(), query, {
      list: 'dead',
      positionOf: ({ id, diedMs }) => latestFirst(diedMs, id),
    });
    const items = await Promise.all(page.items.map(({ id }) => this.find(id)));
    // Some have expired with their tasks.
    return { ...page, items: items.filter((item) => item !== undefined) };
  }

  /** @returns undefined: there is no such dead work */
  async find(id: string): Promise<DeadWork | undefined> {
    if (isDeliveryQueue(id)) return this.#webhook(id);
    const turn = await this.#port.deadTurns.find(id);
    return turn && { kind: 'turn', id, ...turn };
  }

  /** A message is sent again, as a new task; a webhook goes on where it stopped. */
  async retry(id: string): Promise<Retrial> {
    const { push, deadTurns } = this.#port;
    if (isDeliveryQueue(id)) {
      const isRedriven = await push.dead.redrive(id);
      return isRedriven ? { verdict: 'retried', taskId: parseDeliveryQueue(id).taskId } : { verdict: 'missing' };
    }
    const acceptance = await deadTurns.redrive(id);
    if (!acceptance) return { verdict: 'missing' };
    if (acceptance.verdict !== 'accepted') return { verdict: 'refused', why: acceptance.verdict };
    return { verdict: 'retried', taskId: acceptance.taskId };
  }

  /** @returns false: there is no such dead work */
  drop(id: string): Promise<boolean> {
    const { push, deadTurns } = this.#port;
    return isDeliveryQueue(id) ? push.dead.drop(id) : deadTurns.drop(id);
  }

  /** How many there are. One that has expired with its task counts until the next one dies. */
  async count(): Promise<{ readonly turns: number; readonly webhooks: number }> {
    const { shards } = this.#port;
    const sum = async (keyOf: (keys: ShardKeys) => string): Promise<number> => {
      const counts = await Promise.all(shards.all.map((keys) => this.#port.redis.zcard(keyOf(keys))));
      return counts.reduce((total, count) => total + count, 0);
    };
    const [turns, webhooks] = await Promise.all([sum(({ dead }) => dead), sum(({ deadPush }) => deadPush)]);
    return { turns, webhooks };
  }

  async #corpses(key: string): Promise<Corpse[]> {
    const reply = await this.#port.redis.zrevrange(key, 0, LISTED - 1, 'WITHSCORES');
    const corpses: Corpse[] = [];
    for (let i = 0; i < reply.length; i += 2) corpses.push({ id: reply[i] ?? '', diedMs: Number(reply[i + 1]) });
    return corpses;
  }

  async #webhook(id: string): Promise<DeadWebhook | undefined> {
    const { redis, shards } = this.#port;
    const { taskId, number } = parseDeliveryQueue(id);
    const keys = shards.of(taskId);
    const [diedMs, [reason, cursor]] = await Promise.all([
      redis.zscore(keys.deadPush, id),
      redis.hmget(`${keys.task(taskId)}:w`, `${number}:dead`, `${number}:cursor`),
    ]);
    if (diedMs === null || !reason || !cursor) return undefined;
    const details: DeadLetterDetails = JSON.parse(reason);
    const diedAt = new Date(Number(diedMs)).toISOString();
    return { kind: 'webhook', id, taskId, ...details, diedAt, lastSeq: parseCursor(cursor).seq };
  }
}
