import type { RedisConnection } from './connection.ts';

type Listener = (message: string) => void;

interface Channel {
  readonly listeners: Set<Listener>;
  readonly subscribed: Promise<unknown>;
}

/** How long channels without listeners stay subscribed, so that one command unsubscribes many of them. */
const UNSUBSCRIBE_AFTER_MS = 50;

/** Any number of listeners over one subscriber connection. */
export class Channels {
  readonly #subscriber: RedisConnection;
  readonly #channels = new Map<string, Channel>();
  /** Names of channels whose last listener has gone. */
  #unused = new Set<string>();
  #unsubscribeTimer: NodeJS.Timeout | undefined;

  readonly #reconnectListeners: (() => void)[] = [];
  #disconnects = 0;
  #isConnected = false;

  constructor(subscriber: RedisConnection) {
    this.#subscriber = subscriber;
    subscriber.on('close', () => {
      this.#disconnects++;
      this.#isConnected = false;
    });
    subscriber.on('ready', () => void this.#reconnect());
    subscriber.on('message', (name: string, message: string) => {
      for (const listener of this.#channels.get(name)?.listeners ?? []) listener(message);
    });
  }

  /** Changes whenever messages may have been lost; undefined while the connection is down. */
  get generation(): number | undefined {
    return this.#isConnected ? this.#disconnects : undefined;
  }

  /** Resolves when Redis has subscribed the channel, for this listener or for an earlier one. */
  async subscribe(name: string, listener: Listener): Promise<void> {
    const channel = this.#channels.get(name) ?? { listeners: new Set(), subscribed: this.#subscriber.subscribe(name) };
    this.#channels.set(name, channel);
    channel.listeners.add(listener);
    await channel.subscribed;
  }

  /** Subscribes channels before they have listeners, in one command. @returns whether Redis has subscribed them */
  async open(names: readonly string[]): Promise<boolean> {
    const subscribed = this.#subscriber.subscribe(...names);
    for (const name of names) this.#channels.set(name, { listeners: new Set(), subscribed });
    try {
      await subscribed;
      return true;
    } catch {
      for (const name of names) this.#channels.delete(name);
      return false;
    }
  }

  unsubscribe(name: string, listener: Listener): void {
    const channel = this.#channels.get(name);
    if (!channel?.listeners.delete(listener) || channel.listeners.size) return;
    this.#unused.add(name);
    this.#unsubscribeTimer ??= setTimeout(() => this.#unsubscribeUnused(), UNSUBSCRIBE_AFTER_MS).unref();
  }

  /** Calls `check` after each reconnection, once every channel is subscribed again: messages may have been lost. */
  onReconnect(check: () => void): void {
    this.#reconnectListeners.push(check);
  }

  async #reconnect(): Promise<void> {
    try {
      // Redis answers in order, and ioredis has sent its SUBSCRIBE first: after this reply the channels are subscribed.
      await this.#subscriber.ping();
      this.#isConnected = true;
    } catch {
      // Disconnected again: `ready` fires again.
    }
    for (const check of this.#reconnectListeners) check();
  }

  #unsubscribeUnused(): void {
    this.#unsubscribeTimer = undefined;
    const names = [...this.#unused].filter((name) => !this.#channels.get(name)?.listeners.size);
    this.#unused = new Set();
    for (const name of names) this.#channels.delete(name);
    // A closing connection has unsubscribed by itself.
    if (names.length) this.#subscriber.unsubscribe(...names).catch(() => undefined);
  }
}
