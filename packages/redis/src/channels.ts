import type { Redis } from 'ioredis';
import { ChannelGroup, type Listener } from './channel-group.ts';
import type { ChannelServers } from './channel-servers.ts';
import { hashTagOf } from './slots.ts';

type ReconnectListener = (isLost: (channel: string) => boolean) => void;

/**
 * Any number of listeners over one connection to each server that has channels: the one Redis, or the masters of a
 * Cluster. Each channel is sharded (SSUBSCRIBE): only the master that has the slot of its name gets its messages.
 */
export class Channels {
  readonly #servers: ChannelServers;
  readonly #onError: (error: Error) => void;
  /** By hash tag. */
  readonly #groups = new Map<string, ChannelGroup>();
  /** By address. */
  readonly #connections = new Map<string, Redis>();
  readonly #reconnectListeners: ReconnectListener[] = [];
  #isStopped = false;

  constructor(servers: ChannelServers, onError: (error: Error) => void) {
    this.#servers = servers;
    this.#onError = onError;
    servers.onMove(() => {
      for (const group of this.#groups.values()) group.follow();
    });
  }

  get connections(): readonly Redis[] {
    return [...this.#connections.values()];
  }

  /** Changes whenever messages of this channel may have been lost; undefined while its connection is down. */
  generationOf(channel: string): number | undefined {
    return this.#groupOf(channel).generation;
  }

  /** Resolves when Redis has subscribed the channel, for this listener or for an earlier one. */
  subscribe(channel: string, listener: Listener): Promise<void> {
    return this.#groupOf(channel).subscribe(channel, listener);
  }

  /**
   * Subscribes channels with the same hash tag before they have listeners, in one command.
   * @returns whether Redis has subscribed them
   */
  open(channels: readonly string[]): Promise<boolean> {
    return this.#groupOf(channels[0] ?? '').open(channels);
  }

  unsubscribe(channel: string, listener: Listener): void {
    this.#groupOf(channel).unsubscribe(channel, listener);
  }

  /** Calls `check` after each reconnection, once the channels are subscribed again: their messages may have been lost. */
  onReconnect(check: ReconnectListener): void {
    this.#reconnectListeners.push(check);
  }

  /** Ends the connections. */
  stop(): void {
    this.#isStopped = true;
    for (const connection of this.connections) connection.disconnect();
  }

  #groupOf(channel: string): ChannelGroup {
    const hashTag = hashTagOf(channel);
    const known = this.#groups.get(hashTag);
    if (known) return known;
    const group = new ChannelGroup({
      connect: () => this.#connectionFor(hashTag),
      drop: (connection) => this.#drop(connection),
      onReconnect: () => {
        for (const check of this.#reconnectListeners) check((lost) => hashTagOf(lost) === hashTag);
      },
      isStopped: () => this.#isStopped,
    });
    this.#groups.set(hashTag, group);
    return group;
  }

  #connectionFor(hashTag: string): Redis | undefined {
    const address = this.#servers.addressOf(hashTag);
    return address === undefined ? undefined : (this.#connections.get(address) ?? this.#connect(address));
  }

  #connect(address: string): Redis {
    const connection = this.#servers.connect(address);
    connection.setMaxListeners(Number.POSITIVE_INFINITY); // each group listens
    connection.on('error', this.#onError);
    connection.on('smessage', (channel: string, message: string) => this.#groupOf(channel).publish(channel, message));
    // The slot of a channel is at another master now.
    connection.on('moved', () => connection.disconnect());
    connection.once('end', () => this.#drop(connection));
    this.#connections.set(address, connection);
    return connection;
  }

  #drop(connection: Redis): void {
    for (const [address, known] of this.#connections) if (known === connection) this.#connections.delete(address);
    connection.disconnect();
  }
}
