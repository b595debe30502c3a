import { Cluster, type Redis } from 'ioredis';
import type { RedisConnection } from './connection.ts';

const EVERY_MS = 1_000;
/** So long without an answer: Redis is taken to be away, and nobody need wait to find that out. */
const AWAY_AFTER_MS = 1_500;
/** So long without an answer on an open connection: its other end is gone without a word. */
const DEAD_AFTER_MS = 5_000;

/**
 * Feels the pulse of connections, by a PING a second. It knows without asking whether Redis answers; and it makes a
 * connection anew whose other end vanished silently (a lost route, a frozen host), which TCP alone finds after many minutes.
 */
export class Pulse {
  readonly #connections: readonly RedisConnection[];
  /** When the oldest PING was sent that was not answered. */
  readonly #waiting = new Map<RedisConnection, number>();
  #timer: NodeJS.Timeout | undefined;

  /** @param connections the first one is that of the commands */
  constructor(...connections: RedisConnection[]) {
    this.#connections = connections;
  }

  start(): void {
    this.#timer = setInterval(() => this.#beat(), EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Of a Cluster: some of its masters answer. */
  get isAnswering(): boolean {
    const [commands] = this.#connections;
    return commands === undefined || nodesOf(commands).some((node) => this.#silenceOf(node) < AWAY_AFTER_MS);
  }

  #beat(): void {
    for (const node of this.#connections.flatMap(nodesOf)) {
      if (this.#silenceOf(node) >= DEAD_AFTER_MS && node.status === 'ready') this.#renew(node);
      else if (!this.#waiting.has(node)) this.#ping(node);
    }
  }

  #silenceOf(node: RedisConnection): number {
    const since = this.#waiting.get(node);
    return since === undefined ? 0 : performance.now() - since;
  }

  #ping(node: Redis): void {
    this.#waiting.set(node, performance.now());
    const answered = (): void => void this.#waiting.delete(node);
    // A refusal is an answer; a node of a Cluster whose connection has ended is replaced by ioredis.
    node.ping().then(answered, answered);
  }

  /** What was sent and not answered is sent again on the new connection. */
  #renew(node: Redis): void {
    this.#waiting.delete(node);
    node.disconnect(true);
  }
}

function nodesOf(connection: RedisConnection): Redis[] {
  return connection instanceof Cluster ? connection.nodes('master') : [connection];
}
