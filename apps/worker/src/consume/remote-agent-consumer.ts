import { type Consumer, type Queues, REMOTE_AGENTS, type TurnJob } from '@switchyard/store';
import { Poller } from '../timing/timing.ts';

/** How long a call waits whose caller, the first one of its deployment, was killed before it took the turn. */
const CHECK_EVERY_MS = 3_000;

/**
 * Takes the turns of agents that are called by URL, once there are any: most deployments call none, and need no
 * consumer for them.
 */
export class RemoteAgentConsumer {
  readonly #consumer: Consumer<TurnJob>;
  readonly #queue: Pick<Queues, 'isUsed'>;
  readonly #poller: Poller;
  #started: Promise<void> | undefined;
  #isPaused = false;

  constructor(consumer: Consumer<TurnJob>, queue: Pick<Queues, 'isUsed'>, onError: (error: unknown) => void) {
    this.#consumer = consumer;
    this.#queue = queue;
    this.#poller = new Poller({ everyMs: CHECK_EVERY_MS, run: () => this.#openIfUsed(), onError });
  }

  get running(): number {
    return this.#consumer.running;
  }

  /** Takes turns as soon as any process has called a URL. */
  async start(): Promise<void> {
    await this.#openIfUsed();
    if (!this.#isPaused) this.#poller.start();
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
    await this.#poller.stop();
    if (await this.#isStarted()) await this.#consumer.stop();
  }

  async #openIfUsed(): Promise<void> {
    if (this.#started || this.#isPaused) return;
    if (await this.#queue.isUsed(REMOTE_AGENTS)) await this.open();
  }

  async #isStarted(): Promise<boolean> {
    await this.#started;
    return this.#started !== undefined;
  }
}
