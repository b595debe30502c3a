import type { RedisConnection } from './connection.ts';

type Listener = (message: string) => void;

interface Channel {
  readonly listeners: Set<Listener>;
  readonly subscribed: Promise<unknown>;
}

/** Any number of listeners over one subscriber connection. */
export class Channels {
  readonly #subscriber: RedisConnection;
  readonly #channels = new Map<string, Channel>();

  constructor(subscriber: RedisConnection) {
    this.#subscriber = subscriber;
    subscriber.on('message', (name: string, message: string) => {
      for (const listener of this.#channels.get(name)?.listeners ?? []) listener(message);
    });
  }

  /** Resolves when Redis has subscribed, by this listener or by one before it. */
  async subscribe(name: string, listener: Listener): Promise<void> {
    const channel = this.#channels.get(name) ?? { listeners: new Set(), subscribed: this.#subscriber.subscribe(name) };
    this.#channels.set(name, channel);
    channel.listeners.add(listener);
    await channel.subscribed;
  }

  unsubscribe(name: string, listener: Listener): void {
    const channel = this.#channels.get(name);
    if (!channel?.listeners.delete(listener) || channel.listeners.size) return;
    this.#channels.delete(name);
    this.#subscriber.unsubscribe(name).catch(() => undefined); // a closing connection has unsubscribed by itself
  }

  /** Called whenever the connection is back and every channel is subscribed again: messages may have been lost. */
  onReconnect(check: () => void): void {
    // The connection answers in order: this PING comes behind the SUBSCRIBE that ioredis repeats by itself.
    this.#subscriber.on('ready', () => this.#subscriber.ping().then(check, check));
  }
}
