import { setTimeout as delay } from 'node:timers/promises';
import type { Message, Task } from '@switchyard/protocol';
import { type Gateways, ResilientClient, type Retry } from '../workload/resilient-client.ts';

/** One of this many tasks has a webhook. */
const PUSHED_EVERY = 5;

export interface ProberOptions {
  /** Gets the events of some tasks. */
  readonly webhook?: string | undefined;
  readonly onRetry?: (retry: Retry) => void;
}

/** A client that sends one message after the other, each until it is answered, and notes how long it went without. */
export class Prober {
  /** Ids of tasks that were acknowledged. */
  readonly accepted: string[] = [];
  /** Those of them that were acknowledged with a webhook. */
  readonly pushed: string[] = [];
  /** The longest time between two answers so far. */
  worstOutageMs = 0;
  readonly #client: ResilientClient;
  readonly #name: string;
  readonly #webhook: string | undefined;
  #isStopped = false;
  #running: Promise<void> | undefined;
  #answeredAt = 0;

  constructor(gateways: Gateways, name: string, { webhook, onRetry }: ProberOptions = {}) {
    this.#client = new ResilientClient(gateways, 0, onRetry);
    this.#name = name;
    this.#webhook = webhook;
  }

  start(): void {
    this.#answeredAt = performance.now();
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let n = 0; !this.#isStopped; n++) {
      const text = n % 3 === 0 ? `talk 0 p${n}` : `stream 4 p${n}`;
      const webhook = n % PUSHED_EVERY === 0 ? this.#webhook : undefined;
      const task = await this.#untilAnswered(`${this.#name}-${n}`, text, webhook);
      if (task) this.accepted.push(task.id);
      if (task && webhook) this.pushed.push(task.id);
      const now = performance.now();
      this.worstOutageMs = Math.max(this.worstOutageMs, now - this.#answeredAt);
      this.#answeredAt = now;
    }
  }

  async #untilAnswered(messageId: string, text: string, webhook?: string): Promise<Task | undefined> {
    while (!this.#isStopped) {
      const message: Message = { messageId, role: 'ROLE_USER', parts: [{ text }] };
      const task = await this.#client.send(message, false, webhook).catch(() => undefined); // the same message again
      if (task) return task;
      await delay(50);
    }
    return undefined;
  }
}
