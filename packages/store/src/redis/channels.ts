import type { RedisConnection } from './connection.ts';

type Listener = (message: string) => void;

interface Channel {
  readonly listeners: Set<Listener>;
  readonly subscribed: Promise<unknown>;
}

/**
 * How long a channel may stay subscribed that nobody listens to any more: those that were left meanwhile go in one
 * command.
 */
const LEAVE_WITHIN_MS = 50;

/** Any number of listeners over one subscriber connection. */
export class Channels {
  readonly #subscriber: RedisConnection;
  readonly #channels = new Map<string, Channel>();
  /** Names of channels that were left a moment ago. */
  #left = new Set<string>();
  #leaving: NodeJS.Timeout | undefined;

  readonly #reconnected: (() => void)[] = [];
  #cuts = 0;
  #isWhole = false;

  constructor(subscriber: RedisConnection) {
    this.#subscriber = subscriber;
    subscriber.on('close', () => {
      this.#cuts++;
      this.#isWhole = false;
    });
    subscriber.on('ready', () => void this.#connected());
    subscriber.on('message', (name: string, message: string) => {
      for (const listener of this.#channels.get(name)?.listeners ?? []) listener(message);
    });
  }

  /** Another one whenever messages may have been lost. Undefined: they may be lost just now. */
  get era(): number | undefined {
    return this.#isWhole ? this.#cuts : undefined;
  }

  /** Resolves when Redis has subscribed, by this listener or by one before it. */
  async subscribe(name: string, listener: Listener): Promise<void> {
    const channel = this.#channels.get(name) ?? { listeners: new Set(), subscribed: this.#subscriber.subscribe(name) };
    this.#channels.set(name, channel);
    channel.listeners.add(listener);
    await channel.subscribed;
  }

  /** Subscribes channels that nobody listens to yet, in one command. @returns whether Redis has done so */
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
    this.#left.add(name);
    this.#leaving ??= setTimeout(() => this.#leave(), LEAVE_WITHIN_MS).unref();
  }

  /** Called whenever the connection is back and every channel is subscribed again: messages may have been lost. */
  onReconnect(check: () => void): void {
    this.#reconnected.push(check);
  }

  async #connected(): Promise<void> {
    try {
      // The connection answers in order: this comes behind the SUBSCRIBE that ioredis repeats by itself.
      await this.#subscriber.ping();
      this.#isWhole = true;
    } catch {
      // Cut again: it will be back.
    }
    for (const check of this.#reconnected) check();
  }

  #leave(): void {
    this.#leaving = undefined;
    const names = [...this.#left].filter((name) => !this.#channels.get(name)?.listeners.size);
    this.#left = new Set();
    for (const name of names) this.#channels.delete(name);
    // A closing connection has unsubscribed by itself.
    if (names.length) this.#subscriber.unsubscribe(...names).catch(() => undefined);
  }
}
