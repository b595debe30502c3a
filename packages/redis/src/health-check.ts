import { Cluster, type Redis } from 'ioredis';
import type { Channels } from './channels.ts';
import type { RedisConnection } from './connection.ts';
import { isForbidden, isOutage } from './errors.ts';
import { mastersOf } from './servers.ts';

const EVERY_MS = 1_000;
/** Redis counts as unreachable without a reply for this long: requests are then refused at once. */
const UNAVAILABLE_AFTER_MS = 1_500;
/** An open connection without a reply for this long is dead. */
const DEAD_AFTER_MS = 5_000;

/** The state of one server over one connection. */
interface Health {
  /** When the oldest PING without a reply was sent; unset: none. */
  unansweredSince?: number | undefined;
  /** When the last PING was sent, unless it failed. */
  pingedAt?: number | undefined;
}

/**
 * Sends a PING a second on each connection, to know whether Redis answers and to replace dead connections (a lost
 * route, a frozen host), which TCP finds only after many minutes.
 */
export class HealthCheck {
  readonly #commands: RedisConnection;
  readonly #channels: Channels;
  /** By connection and address: in an outage a Cluster replaces the clients of its nodes. */
  readonly #health = new Map<string, Health>();
  /** Those with an unanswered PING. Usually there are none, and then nothing has to be looked up. */
  readonly #unanswered = new Set<Health>();
  #timer: NodeJS.Timeout | undefined;

  constructor(commands: RedisConnection, channels: Channels) {
    this.#commands = commands;
    this.#channels = channels;
  }

  /** Once, however often it is called. */
  start(): void {
    this.#timer ??= setInterval(() => this.#pingAll(), EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** For a Cluster: whether some of its masters answer. */
  get isAnswering(): boolean {
    if (this.#unanswered.size === 0 && !(this.#commands instanceof Cluster)) return true;
    return mastersOf(this.#commands).some((node) => silenceOf(this.#healthOf(node, 'commands')) < UNAVAILABLE_AFTER_MS);
  }

  /**
   * In a Cluster, whether the master answers to which this command goes; otherwise as `isAnswering`.
   * @param slot of the command, if it is known: it takes time to compute
   */
  isAnsweringFor(command: { getSlot(): number | null }, slot?: number): boolean {
    if (!(this.#commands instanceof Cluster)) return this.isAnswering;
    const at = slot ?? command.getSlot();
    const [master] = (at !== null && this.#commands.slots[at]) || [];
    if (master === undefined) return this.isAnswering;
    return silenceOf(this.#health.get(`commands ${master}`)) < UNAVAILABLE_AFTER_MS;
  }

  #pingAll(): void {
    for (const node of mastersOf(this.#commands)) this.#ping(node, this.#healthOf(node, 'commands'));
    for (const node of this.#channels.connections) this.#ping(node, this.#healthOf(node, 'channels'));
  }

  #ping(node: Redis, health: Health): void {
    const waited = performance.now() - (health.pingedAt ?? Number.NEGATIVE_INFINITY);
    if (waited < DEAD_AFTER_MS) return;
    // ioredis sends unanswered commands again on the new connection.
    if (Number.isFinite(waited) && node.status === 'ready') node.disconnect(true);
    health.pingedAt = performance.now();
    health.unansweredSince ??= health.pingedAt;
    this.#unanswered.add(health);
    const answered = (): void => {
      this.#unanswered.delete(health);
      health.unansweredSince = undefined;
      health.pingedAt = undefined;
    };
    node.ping().then(answered, (error: unknown) => {
      // An error reply is a reply, unless all commands would get it. An ACL may forbid PING alone.
      if (error instanceof Error && error.name === 'ReplyError' && (!isOutage(error) || isForbidden(error))) answered();
      else health.pingedAt = undefined;
    });
  }

  #healthOf({ options: { host, port } }: Redis, use: 'commands' | 'channels'): Health {
    const key = `${use} ${host}:${port}`;
    const health = this.#health.get(key) ?? {};
    this.#health.set(key, health);
    return health;
  }
}

const silenceOf = ({ unansweredSince }: Health = {}): number =>
  unansweredSince === undefined ? 0 : performance.now() - unansweredSince;
