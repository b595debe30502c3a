import type { Message } from '@switchyard/protocol';
import type { SteeringPort } from '../port/steering-port.ts';

/**
 * The messages that come for the task while this turn runs, in their order; also those that waited as it began.
 *
 * What is given out here is answered by the outcome of this turn; any other message runs next, as a turn of its own. If
 * the turn is retried, it is given all of them again. The iteration ends with the turn: at its outcome, or when its
 * signal is aborted.
 */
export class Steering implements AsyncIterable<Message> {
  readonly #port: SteeringPort;
  /** Read, and not given out. */
  readonly #waiting: Message[] = [];
  readonly #taken: string[] = [];
  #reading: Promise<void> | undefined;
  #woken = Promise.withResolvers<void>();
  /** Results of the iteration whose message nobody has looked at yet. */
  #offered = 0;
  #isOver = false;

  constructor(port: SteeringPort) {
    this.#port = port;
    port.onWaiting(() => this.#look());
    this.#look();
  }

  /** Ids of the messages that were given out. */
  get taken(): readonly string[] {
    return this.#taken;
  }

  /** Those that have come by now, without waiting for more: for an agent that works in rounds. */
  async take(): Promise<readonly Message[]> {
    await this.#read();
    const messages: Message[] = [];
    for (let message = this.#next(); message; message = this.#next()) messages.push(message);
    return messages;
  }

  [Symbol.asyncIterator](): AsyncIterator<Message, undefined> {
    return { next: () => this.#offer() };
  }

  /** Nothing is given out any more. */
  end(): void {
    this.#isOver = true;
    this.#look();
  }

  async #offer(): Promise<IteratorResult<Message, undefined>> {
    while (!this.#isOver && this.#waiting.length <= this.#offered) {
      await this.#woken.promise;
      if (!this.#isOver) await this.#read();
    }
    this.#offered++;
    // `for await` looks at it as it enters its body, when the turn may have ended: what was not looked at is not taken.
    return new Offer(() => {
      this.#offered--;
      return this.#next();
    }) as IteratorResult<Message, undefined>;
  }

  #next(): Message | undefined {
    const message = this.#isOver ? undefined : this.#waiting.shift();
    if (message) this.#taken.push(message.messageId);
    return message;
  }

  /** Other messages may wait. */
  #look(): void {
    this.#woken.resolve();
  }

  #read(): Promise<void> {
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readAll(): Promise<void> {
    this.#woken = Promise.withResolvers();
    try {
      this.#waiting.push(...(await this.#port.waiting(this.#taken.length + this.#waiting.length)));
    } catch (error) {
      this.#look();
      if (!this.#isOver) throw error;
    }
  }
}

/** The result of an iteration, decided when it is looked at. */
class Offer {
  #take: (() => Message | undefined) | undefined;
  #message: Message | undefined;

  constructor(take: () => Message | undefined) {
    this.#take = take;
  }

  get done(): boolean {
    return this.value === undefined;
  }

  get value(): Message | undefined {
    if (this.#take) this.#message = this.#take();
    this.#take = undefined;
    return this.#message;
  }
}
