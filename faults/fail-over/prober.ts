import { setTimeout as delay } from 'node:timers/promises';
import type { Task } from '@switchyard/protocol';

/** A client that sends one message after the other, each until it is answered, and notes how long it went without. */
export class Prober {
  /** Ids of tasks that were acknowledged. */
  readonly accepted: string[] = [];
  /** The longest time between two answers so far. */
  worstOutageMs = 0;
  readonly #url: string;
  readonly #name: string;
  #isStopped = false;
  #running: Promise<void> | undefined;
  #answeredAt = 0;

  constructor(url: string, name: string) {
    this.#url = url;
    this.#name = name;
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
      const task = await this.#untilAnswered(`${this.#name}-${n}`, n % 3 === 0 ? `talk 0 p${n}` : `stream 4 p${n}`);
      if (task) this.accepted.push(task.id);
      const now = performance.now();
      this.worstOutageMs = Math.max(this.worstOutageMs, now - this.#answeredAt);
      this.#answeredAt = now;
    }
  }

  async #untilAnswered(messageId: string, text: string): Promise<Task | undefined> {
    while (!this.#isStopped) {
      const task = await this.#send(messageId, text);
      if (task) return task;
      await delay(50);
    }
    return undefined;
  }

  async #send(messageId: string, text: string): Promise<Task | undefined> {
    const message = { messageId, role: 'ROLE_USER', parts: [{ text }] };
    try {
      const response = await fetch(`${this.#url}/message:send`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ message, configuration: { returnImmediately: false } }),
        signal: AbortSignal.timeout(20_000),
      });
      const { task }: { task?: Task } = JSON.parse(await response.text());
      return task;
    } catch {
      return undefined; // no answer: the same message again
    }
  }
}
