/**
 * Questions to one shard that many ask at once. Those that come while others are under way leave together, as soon as one of
 * those is answered, and equal ones leave as one: to send a message to Redis costs more than what is in it. Nobody gets the
 * answer to a question that had left before it was asked.
 */
export class ReadGroup<Answer> {
  #isUnderWay = false;
  #waiting = new Map<string, Departure<Answer>>();

  /** @param key equal for equal questions */
  ask(key: string, question: () => Promise<Answer>): Promise<Answer> {
    const known = this.#waiting.get(key);
    if (known) return known.answer;
    const departure = new Departure(question);
    this.#waiting.set(key, departure);
    if (!this.#isUnderWay && this.#waiting.size === 1) queueMicrotask(() => this.#leave());
    return departure.answer;
  }

  #leave(): void {
    const group = this.#waiting;
    if (group.size === 0) return;
    this.#waiting = new Map();
    this.#isUnderWay = true;
    let isFirst = true;
    const onAnswer = (): void => {
      if (!isFirst) return;
      isFirst = false;
      this.#isUnderWay = false;
      this.#leave();
    };
    for (const departure of group.values()) departure.leave().then(onAnswer, onAnswer);
  }
}

/** A question that has not left yet, and the promise of its answer. */
class Departure<Answer> {
  readonly answer: Promise<Answer>;
  readonly #question: () => Promise<Answer>;
  readonly #resolve: (answer: Promise<Answer>) => void;

  constructor(question: () => Promise<Answer>) {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.answer = promise;
    this.#resolve = resolve;
    this.#question = question;
  }

  leave(): Promise<Answer> {
    this.#resolve(this.#question());
    return this.answer;
  }
}

/** One for each shard: what is slow or away in one of them holds nobody back in another. */
export class ReadGroups<Answer> {
  readonly #groups = new WeakMap<object, ReadGroup<Answer>>();

  of(shard: object): ReadGroup<Answer> {
    const known = this.#groups.get(shard);
    if (known) return known;
    const group = new ReadGroup<Answer>();
    this.#groups.set(shard, group);
    return group;
  }
}
