import { type Consumer, ELSEWHERE, type Queue } from '@switchyard/store';

/**
 * Takes the turns of agents elsewhere, from when there are any: a worker whose deployment never calls a URL need not
 * look for them.
 */
export class ElsewhereConsumer {
  readonly #consumer: Consumer;
  readonly #queue: Pick<Queue, 'isUsed'>;
  #started: Promise<void> | undefined;
  #isPaused = false;

  constructor(consumer: Consumer, queue: Pick<Queue, 'isUsed'>) {
    this.#consumer = consumer;
    this.#queue = queue;
  }

  get running(): number {
    return this.#consumer.running;
  }

  /** If another process has called a URL before. */
  async start(): Promise<void> {
    if (await this.#queue.isUsed(ELSEWHERE)) await this.reach();
  }

  /** This process is about to. */
  async reach(): Promise<void> {
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
