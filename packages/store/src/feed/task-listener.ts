import type { Channels } from '@switchyard/redis';
import type { Observer } from '../deployment/observer.ts';
import type { Shards } from '../deployment/shards.ts';
import type { ByteBudget } from '../tasks/read/byte-budget.ts';
import { EventBuffer } from './event-buffer.ts';
import { parseMessage } from './feed-item.ts';

/** Limits of the buffer of one reader. */
const LIMITS = { events: 64, bytes: 256 * 1_024 };

export interface ListenerDependencies {
  readonly readDependencies: { readonly shards: Shards };
  readonly observer: Observer;
  readonly channels: Channels;
  /** Bounds the buffers of all readers of the process. */
  readonly budget: ByteBudget;
}

/** Buffers the live events of one task for one reader. */
export class TaskListener implements Disposable {
  readonly taskId: string;
  readonly channel: string;
  readonly buffer: EventBuffer;
  /** Resolves when the channel is subscribed. */
  readonly isListening: Promise<void>;
  readonly #channels: Channels;
  readonly #observer: Observer;
  readonly #generation: number | undefined;

  constructor({ channels, readDependencies: { shards }, budget, observer }: ListenerDependencies, taskId: string) {
    this.buffer = new EventBuffer({ ...LIMITS, budget });
    this.#channels = channels;
    this.#observer = observer;
    this.taskId = taskId;
    this.channel = shards.of(taskId).events(taskId);
    this.#generation = channels.generationOf(this.channel);
    this.isListening = channels.subscribe(this.channel, this.#onMessage);
  }

  /** Whether every event since the subscription has arrived. */
  get isComplete(): boolean {
    return this.#generation !== undefined && this.#generation === this.#channels.generationOf(this.channel);
  }

  readonly #onMessage = (message: string): void => {
    for (const event of parseMessage(message)) {
      this.#observer.arrived(event.json);
      this.buffer.push(event);
    }
  };

  /** Idempotent. */
  [Symbol.dispose](): void {
    this.#channels.unsubscribe(this.channel, this.#onMessage);
    this.buffer.clear();
  }
}
