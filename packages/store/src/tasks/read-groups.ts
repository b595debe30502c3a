/** Questions of one message: bounds the time that Redis spends on them in one go. */
const MOST_AT_ONCE = 32;

/** Asks Redis several questions in one message. Answers in their order. */
export type Ask<Question, Answer> = (questions: readonly Question[]) => Promise<readonly (Answer | Promise<Answer>)[]>;

/**
 * Questions to one shard that many ask at once. Those that come while others are under way leave together, in one message,
 * as soon as those are answered, and equal ones leave as one: a message to Redis costs more than what is in it. Nobody gets
 * the answer to a question that had left before it was asked.
 */
export class ReadGroup<Question, Answer> {
  readonly #send: Ask<Question, Answer>;
  #isUnderWay = false;
  readonly #waiting = new Map<string, Departure<Question, Answer>>();

  constructor(send: Ask<Question, Answer>) {
    this.#send = send;
  }

  /** @param key equal for equal questions */
  ask(key: string, question: Question): Promise<Answer> {
    const known = this.#waiting.get(key);
    if (known) return known.promise;
    const departure = { question, ...Promise.withResolvers<Answer>() };
    this.#waiting.set(key, departure);
    if (!this.#isUnderWay && this.#waiting.size === 1) queueMicrotask(() => this.#leave());
    return departure.promise;
  }

  #leave(): void {
    const group: Departure<Question, Answer>[] = [];
    for (const [key, departure] of this.#waiting) {
      if (group.length === MOST_AT_ONCE) break;
      this.#waiting.delete(key);
      group.push(departure);
    }
    if (group.length === 0) return;
    this.#isUnderWay = true;
    this.#send(group.map(({ question }) => question)).then(
      (answers) => {
        this.#arrived();
        for (const [i, answer] of answers.entries()) group[i]?.resolve(answer);
      },
      (error: unknown) => {
        this.#arrived();
        for (const { reject } of group) reject(error);
      },
    );
  }

  /** The next ones leave before these are told: Redis works while the answers go out. */
  #arrived(): void {
    this.#isUnderWay = false;
    this.#leave();
  }
}

/** A question that has not left yet, and the promise of its answer. */
interface Departure<Question, Answer> extends PromiseWithResolvers<Answer> {
  readonly question: Question;
}

/** One for each shard: what is slow or away in one of them holds nobody back in another. */
export class ReadGroups<Question, Answer> {
  readonly #send: Ask<Question, Answer>;
  readonly #groups = new WeakMap<object, ReadGroup<Question, Answer>>();

  constructor(send: Ask<Question, Answer>) {
    this.#send = send;
  }

  of(shard: object): ReadGroup<Question, Answer> {
    const known = this.#groups.get(shard);
    if (known) return known;
    const group = new ReadGroup(this.#send);
    this.#groups.set(shard, group);
    return group;
  }
}
