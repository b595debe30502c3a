import { type Consumer, type Queues, REMOTE_AGENTS } from '@switchyard/store';

/**
 * Takes the turns of agents that are called by URL, once there are any: most deployments call none, and need no
 * consumer for them.
 */
export class RemoteAgentConsumer {
  readonly #consumer: Consumer;
  readonly #queue: Pick<Queues, 'isUsed'>;
  #started: Promise<void> | undefined;
  #isPaused = false;

  constructor(consumer: Consumer, queue: Pick<Queues, 'isUsed'>) {
    this.#consumer = consumer;
    this.#queue = queue;
  }

  get running(): number {
    return this.#consumer.running;
  }

  /** Takes turns at once if another process has called a URL before. */
  async start(): Promise<void> {
    if (await this.#queue.isUsed(REMOTE_AGENTS)) await this.open();
  }

  /** Takes turns from now on: this process is about to call a URL. */
  async open(): Promise<void> {
    if (!this.#isPaused) this.#started ??= this.#consumer.start();
    await this.#started;
  }

  async pause(): Promise<void> {
    this.#isPaused = true;
    if (await this.#isStarted()) await this.#consumer.pause();
  }

  async resume(): Promise<void> {
    this.#isPaused = false;
    if (await this.#isStarted()) await this.#consumer.resume();
    else await this.start();
  }

  async stop(): Promise<void> {
    this.#isPaused = true;
    if (await this.#isStarted()) await this.#consumer.stop();
  }

  async #isStarted(): Promise<boolean> {
    await this.#started;
    return this.#started !== undefined;
  }
}
