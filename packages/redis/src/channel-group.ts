import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { retryDelayMs } from './connection.ts';
import { isForbidden } from './errors.ts';

export type Listener = (message: string) => void;

interface Channel {
  readonly listeners: Set<Listener>;
  readonly subscribed: Promise<void>;
}

/** The connections of all groups. */
export interface GroupConnections {
  /** The connection to the server that has the group's channels now; undefined: it is not known yet. */
  readonly connect: () => Redis | undefined;
  readonly drop: (connection: Redis) => void;
  readonly onReconnect: () => void;
  readonly isStopped: () => boolean;
}

/** How long channels without listeners stay subscribed, so that one command unsubscribes many of them. */
const UNSUBSCRIBE_AFTER_MS = 50;
/** Channels of one command when all are subscribed again. */
const AT_ONCE = 1_000;

/**
 * The channels with one hash tag. One server has all of them. When its connection ends, or the slot of the hash tag
 * moves to another server, they are subscribed again at the server that has them then.
 */
export class ChannelGroup {
  readonly #connections: GroupConnections;
  readonly #channels = new Map<string, Channel>();
  #connection: Redis | undefined;
  #losses = 0;
  /** Whether all channels are subscribed. */
  #isSubscribed = false;
  #subscribing: Promise<void> | undefined;
  /** Names of channels whose last listener has gone. */
  #unused = new Set<string>();
  #unsubscribeTimer: NodeJS.Timeout | undefined;

  constructor(connections: GroupConnections) {
    this.#connections = connections;
  }

  /** Changes whenever messages may have been lost; undefined while channels are not subscribed. */
  get generation(): number | undefined {
    return this.#isSubscribed ? this.#losses : undefined;
  }

  publish(name: string, message: string): void {
    for (const listener of this.#channels.get(name)?.listeners ?? []) listener(message);
  }

  async subscribe(name: string, listener: Listener): Promise<void> {
    if (!this.#channels.has(name)) this.#add([name]);
    const channel = this.#channels.get(name);
    channel?.listeners.add(listener);
    await channel?.subscribed;
  }

  /** @returns whether Redis has subscribed them */
  async open(names: readonly string[]): Promise<boolean> {
    try {
      await this.#add(names);
      return true;
    } catch {
      return false;
    }
  }

  unsubscribe(name: string, listener: Listener): void {
    const channel = this.#channels.get(name);
    if (!channel?.listeners.delete(listener) || channel.listeners.size) return;
    this.#unused.add(name);
    this.#unsubscribeTimer ??= setTimeout(() => this.#unsubscribeUnused(), UNSUBSCRIBE_AFTER_MS).unref();
  }

  /** Leaves a server that does not have the channels any more. */
  follow(): void {
    const [now, before] = [this.#connections.connect(), this.#connection];
    if (now && before && now !== before) this.#lose(before);
  }

  #add(names: readonly string[]): Promise<void> {
    const subscribed = this.#subscribe(names);
    for (const name of names) this.#channels.set(name, { listeners: new Set(), subscribed });
    subscribed.catch(() => {
      for (const name of names) this.#channels.delete(name);
    });
    return subscribed;
  }

  async #subscribe(names: readonly string[]): Promise<void> {
    const connection = this.#connection;
    if (!connection) return this.#subscribeAll();
    try {
      await connection.ssubscribe(...names);
    } catch (error) {
      if (isForbidden(error)) throw error;
      this.#lose(connection);
      await this.#subscribeAll();
    }
  }

  #subscribeAll(): Promise<void> {
    this.#subscribing ??= this.#untilSubscribed();
    return this.#subscribing;
  }

  async #untilSubscribed(): Promise<void> {
    try {
      for (let attempt = 0; ; attempt++) {
        await this.#trySubscribing();
        if (this.#isSubscribed) break;
        await delay(retryDelayMs(attempt));
      }
    } finally {
      this.#subscribing = undefined;
    }
    if (this.#losses > 0) this.#connections.onReconnect();
  }

  async #trySubscribing(): Promise<void> {
    await Promise.resolve(); // channels that are added together are subscribed together
    if (this.#connections.isStopped()) throw new Error('Connection is closed.');
    const connection = this.#connections.connect();
    if (!connection) return;
    this.#connection = connection;
    connection.once('end', () => this.#lose(connection));
    try {
      const names = [...this.#channels.keys()];
      for (let at = 0; at < names.length; at += AT_ONCE) await connection.ssubscribe(...names.slice(at, at + AT_ONCE));
    } catch (error) {
      if (isForbidden(error)) throw error;
      this.#lose(connection);
    }
    this.#isSubscribed = this.#connection === connection;
  }

  #lose(connection: Redis): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.#losses++;
    this.#isSubscribed = false;
    this.#connections.drop(connection);
    if (this.#channels.size > 0) this.#subscribeAll().catch(() => undefined);
  }

  #unsubscribeUnused(): void {
    this.#unsubscribeTimer = undefined;
    const names = [...this.#unused].filter((name) => !this.#channels.get(name)?.listeners.size);
    this.#unused = new Set();
    for (const name of names) this.#channels.delete(name);
    // A connection that ends has unsubscribed by itself.
    if (names.length) this.#connection?.sunsubscribe(...names).catch(() => undefined);
  }
}
