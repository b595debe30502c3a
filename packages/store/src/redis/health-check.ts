import { Cluster, type Redis } from 'ioredis';
import type { RedisConnection } from './connection.ts';
import { isOutage } from './outage.ts';

const EVERY_MS = 1_000;
/** So long without an answer: Redis is taken to be away, and nobody need wait to find that out. */
const AWAY_AFTER_MS = 1_500;
/** So long without an answer on an open connection: its other end is gone without a word. */
const DEAD_AFTER_MS = 5_000;

/** What is known of one server, over one connection. */
interface Health {
  /** When the oldest PING was sent that was not answered; unset: all were. */
  unansweredSince?: number | undefined;
  /** When the last one was sent, unless it has failed. */
  pingedAt?: number | undefined;
}

/**
 * A PING a second on each connection. It knows without asking whether Redis answers; and it makes a connection anew
 * whose other end vanished silently (a lost route, a frozen host), which TCP alone finds after many minutes.
 */
export class HealthCheck {
  readonly #connections: readonly RedisConnection[];
  /**
   * By connection and address: a Cluster replaces the clients of its nodes, and an outage is longer than their lives.
   */
  readonly #health = new Map<string, Health>();
  #timer: NodeJS.Timeout | undefined;

  /** @param connections the first one is that of the commands */
  constructor(...connections: RedisConnection[]) {
    this.#connections = connections;
  }

  start(): void {
    this.#timer = setInterval(() => this.#pingAll(), EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Of a Cluster: some of its masters answer. */
  get isAnswering(): boolean {
    const [commands] = this.#connections;
    return commands === undefined || nodesOf(commands).some((node) => this.#silenceOf(node, 0) < AWAY_AFTER_MS);
  }

  #pingAll(): void {
    for (const [index, connection] of this.#connections.entries())
      for (const node of nodesOf(connection)) this.#ping(node, this.#healthOf(node, index));
  }

  #ping(node: Redis, health: Health): void {
    const waited = performance.now() - (health.pingedAt ?? Number.NEGATIVE_INFINITY);
    if (waited < DEAD_AFTER_MS) return;
    // What was sent and not answered is sent again on the new connection.
    if (Number.isFinite(waited) && node.status === 'ready') node.disconnect(true);
    health.pingedAt = performance.now();
    health.unansweredSince ??= health.pingedAt;
    const answered = (): void => {
      health.unansweredSince = undefined;
      health.pingedAt = undefined;
    };
    node.ping().then(answered, (error: unknown) => {
      // A refusal is an answer, unless everything else would be refused as well.
      if (error instanceof Error && error.name === 'ReplyError' && (!isOutage(error) || isForbidden(error))) answered();
      else health.pingedAt = undefined;
    });
  }

  #silenceOf(node: Redis, connection: number): number {
    const { unansweredSince } = this.#healthOf(node, connection);
    return unansweredSince === undefined ? 0 : performance.now() - unansweredSince;
  }

  #healthOf({ options: { host, port } }: Redis, connection: number): Health {
    const key = `${connection} ${host}:${port}`;
    const health = this.#health.get(key) ?? {};
    this.#health.set(key, health);
    return health;
  }
}

/** An ACL that allows what is needed need not allow PING. */
const isForbidden = ({ message }: Error): boolean => message.startsWith('NOPERM');

function nodesOf(connection: RedisConnection): Redis[] {
  return connection instanceof Cluster ? connection.nodes('master') : [connection];
}
