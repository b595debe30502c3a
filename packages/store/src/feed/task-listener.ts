import type { Channels } from '../redis/channels.ts';
import type { Shards } from '../redis/shards.ts';
import { type BufferBudget, EventBuffer } from './event-buffer.ts';
import { parseMessage } from './feed-item.ts';

/** Of one reader. */
const LIMITS = { events: 64, bytes: 256 * 1_024 };

export interface ListenerPort {
  readonly reads: { readonly shards: Shards };
  readonly channels: Channels;
  /** For what all readers of the process have been sent and not taken yet. */
  readonly budget: BufferBudget;
}

/** Hears the events of one task, for whoever reads them. */
export class TaskListener implements Disposable {
  readonly taskId: string;
  readonly channel: string;
  readonly buffer: EventBuffer;
  /** Nothing that comes later is missed. */
  readonly isListening: Promise<void>;
  readonly #channels: Channels;
  readonly #era: number | undefined;

  constructor({ channels, reads: { shards }, budget }: ListenerPort, taskId: string) {
    this.buffer = new EventBuffer({ ...LIMITS, budget });
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
    for (const event of parseMessage(message)) this.buffer.push(event);
  };

  /** Idempotent. */
  [Symbol.dispose](): void {
    this.#channels.unsubscribe(this.channel, this.#hear);
    this.buffer.clear();
  }
}
