import type { Channels } from '../redis/channels.ts';
import type { Shards } from '../redis/shards.ts';
import { parseMessage } from './feed-item.ts';
import { Reader } from './reader.ts';

const BUFFER_SIZE = 64;

/** Hears the events of one task, for whoever reads them. */
export class TaskListener implements Disposable {
  readonly taskId: string;
  readonly channel: string;
  readonly reader = new Reader(BUFFER_SIZE);
  /** Nothing that comes later is missed. */
  readonly isListening: Promise<void>;
  readonly #channels: Channels;
  readonly #era: number | undefined;

  constructor(channels: Channels, shards: Shards, taskId: string) {
    this.#channels = channels;
    this.#era = channels.era;
    this.taskId = taskId;
    this.channel = shards.of(taskId).events(taskId);
    this.isListening = channels.subscribe(this.channel, this.#hear);
  }

  /** Of what was said since it was subscribed. */
  get hasMissedNothing(): boolean {
    return this.#era !== undefined && this.#era === this.#channels.era;
  }

  readonly #hear = (message: string): void => {
    for (const event of parseMessage(message)) this.reader.push(event);
  };

  /** Idempotent. */
  [Symbol.dispose](): void {
    this.#channels.unsubscribe(this.channel, this.#hear);
  }
}
