/** Asks Redis several questions in one message. Answers in their order. */
export type AskAll<Question, Answer> = (
  questions: readonly Question[],
) => Promise<readonly (Answer | Promise<Answer>)[]>;

/**
 * Questions that many ask Redis at once. Those that come while others are under way leave together, in one message, as
 * soon as those are answered, and equal ones leave as one: a message to Redis costs more than what is in it. Nobody gets
 * the answer to a question that had left before it was asked.
 */
export class Batches<Question, Answer> {
  readonly #askAll: AskAll<Question, Answer>;
  readonly #most: number;
  #isUnderWay = false;
  readonly #waiting = new Map<string, Waiting<Question, Answer>>();

  /** @param most questions of one message: bounds the time that Redis spends on them in one go */
  constructor(askAll: AskAll<Question, Answer>, most: number) {
    this.#askAll = askAll;
    this.#most = most;
  }

  /** @param key equal for equal questions */
  ask(key: string, question: Question): Promise<Answer> {
    const known = this.#waiting.get(key);
    if (known) return known.promise;
    const waiting = { question, ...Promise.withResolvers<Answer>() };
    this.#waiting.set(key, waiting);
    if (!this.#isUnderWay && this.#waiting.size === 1) queueMicrotask(() => this.#leave());
    return waiting.promise;
  }

  #leave(): void {
    const batch = this.#take();
    if (batch.length === 0) return;
    this.#isUnderWay = true;
    this.#askAll(batch.map(({ question }) => question)).then(
      (answers) => {
        this.#arrived();
        for (const [i, answer] of answers.entries()) batch[i]?.resolve(answer);
      },
      (error: unknown) => {
        this.#arrived();
        for (const { reject } of batch) reject(error);
      },
    );
  }

  #take(): Waiting<Question, Answer>[] {
    const batch: Waiting<Question, Answer>[] = [];
    for (const [key, waiting] of this.#waiting) {
      if (batch.length === this.#most) break;
      this.#waiting.delete(key);
      batch.push(waiting);
    }
    return batch;
  }

  /** The next ones leave before these are told: Redis works while the answers go out. */
  #arrived(): void {
    this.#isUnderWay = false;
    this.#leave();
  }
}

/** A question that has not left yet, and the promise of its answer. */
interface Waiting<Question, Answer> extends PromiseWithResolvers<Answer> {
  readonly question: Question;
}

/** Some for each shard: what is slow or away in one of them holds nobody back in another. */
export class BatchesByShard<Question, Answer> {
  readonly #askAll: AskAll<Question, Answer>;
  readonly #most: number;
  readonly #batches = new WeakMap<object, Batches<Question, Answer>>();

  /** @param askAll questions to one shard; @param most of them in one message */
  constructor(askAll: AskAll<Question, Answer>, most: number) {
    this.#askAll = askAll;
    this.#most = most;
  }

  of(shard: object): Batches<Question, Answer> {
    const known = this.#batches.get(shard);
    if (known) return known;
    const batches = new Batches(this.#askAll, this.#most);
    this.#batches.set(shard, batches);
    return batches;
  }
}
