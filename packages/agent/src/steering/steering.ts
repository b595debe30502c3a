import type { Message } from '@switchyard/protocol';
import type { SteeringPort } from '../port/steering-port.ts';

/**
 * The messages that arrive for the task while this turn runs, in order, and those that waited when it began.
 *
 * The outcome of this turn answers the messages that are taken from here; any other message runs next, as a turn of its
 * own. A retried turn gets all of them again. The iteration ends with the turn: at its outcome, or when its signal is
 * aborted.
 *
 *     for await (const message of turn.steering) {
 *       if (textOf(message) === 'land') return turn.complete('Landed.');
 *     }
 */
export class Steering implements AsyncIterable<Message> {
  readonly #port: SteeringPort;
  /** Messages that were read and not delivered yet. */
  readonly #waiting: Message[] = [];
  readonly #delivered: string[] = [];
  #reading: Promise<void> | undefined;
  #woken = Promise.withResolvers<void>();
  /** Results of the iteration whose `value` or `done` was not read yet. */
  #offered = 0;
  #isOver = false;

  constructor(port: SteeringPort) {
    this.#port = port;
    port.onWaiting(() => this.#wake());
    this.#wake();
  }

  /** Ids of the messages that the turn was given. */
  get delivered(): readonly string[] {
    return this.#delivered;
  }

  /**
   * Takes the messages that have arrived by now, without waiting for more: for an agent that works in rounds.
   *
   *     const wishes = (await turn.steering.take()).map(textOf);
   */
  async take(): Promise<readonly Message[]> {
    await this.#read();
    const messages: Message[] = [];
    for (let message = this.#next(); message; message = this.#next()) messages.push(message);
    return messages;
  }

  [Symbol.asyncIterator](): AsyncIterator<Message, undefined> {
    return { next: () => this.#offer() };
  }

  /** Ends the iteration: no more messages are delivered. Workers call it. */
  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  async #offer(): Promise<IteratorResult<Message, undefined>> {
    while (!this.#isOver && this.#waiting.length <= this.#offered) {
      await this.#woken.promise;
      if (!this.#isOver) await this.#read();
    }
    this.#offered++;
    // `for await` reads the result when it enters its body, and the turn may have ended before: a message counts as
    // taken only when its result is read.
    return new Offer(() => {
      this.#offered--;
      return this.#next();
    }) as IteratorResult<Message, undefined>;
  }

  #next(): Message | undefined {
    const message = this.#isOver ? undefined : this.#waiting.shift();
    if (message) this.#delivered.push(message.messageId);
    return message;
  }

  /** Called when other messages may wait. */
  #wake(): void {
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
      this.#waiting.push(...(await this.#port.waiting(this.#delivered.length + this.#waiting.length)));
    } catch (error) {
      this.#wake();
      if (!this.#isOver) throw error;
    }
  }
}

/** The result of an iteration, which takes its message when it is read. */
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
