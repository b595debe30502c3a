import type { Deadline } from './deadline.ts';
import { isOutage, RedisAway } from './outage.ts';

/** Asks Redis several questions in one message. Answers in their order. */
export type AskAll<Question, Answer> = (
  questions: readonly Question[],
) => Promise<readonly (Answer | Promise<Answer>)[]>;

/**
 * Asks all at once; what Redis finds wrong with that may be the fault of one of them, and they are asked one by one.
 * What was done already is asked again: it must be such that this does no harm.
 */
export async function togetherOrAlone<Question, Answer>(
  questions: readonly Question[],
  ask: (questions: readonly Question[]) => Promise<readonly Answer[]>,
): Promise<readonly (Answer | Promise<Answer>)[]> {
  try {
    return await ask(questions);
  } catch (error) {
    const isRefused = error instanceof Error && error.name === 'ReplyError';
    if (!isRefused || isOutage(error) || questions.length === 1) throw error;
    return questions.map(async (question) => (await ask([question]))[0] as Answer);
  }
}

export interface BatchLimits {
  /** Questions in one message: bounds the time that Redis spends on them in one go. */
  readonly questions: number;
  /** Messages under way at once. With one, Redis takes turns with whoever asks; with two it need not wait for them. */
  readonly messages: number;
  /** Of those who ask; unset: they wait. */
  readonly deadline?: Deadline | undefined;
}

/**
 * Questions that many ask Redis at once. Those that come while others are under way leave together, in one message, as
 * soon as some of those are answered, and equal ones leave as one: a message to Redis costs more than what is in it.
 * Nobody gets the answer to a question that had left before it was asked.
 */
export class Batches<Question, Answer> {
  readonly #askAll: AskAll<Question, Answer>;
  readonly #limits: BatchLimits;
  #underWay = 0;
  #waiting = new Map<string, Waiting<Question, Answer>>();

  constructor(askAll: AskAll<Question, Answer>, limits: BatchLimits) {
    this.#askAll = askAll;
    this.#limits = limits;
  }

  /** @param key equal for equal questions @throws {RedisAway} at once, and not behind what is under way */
  ask(key: string, question: Question): Promise<Answer> {
    if (this.#limits.deadline?.isAway()) return Promise.reject(new RedisAway());
    const known = this.#waiting.get(key);
    if (known) return known.answer.promise;
    const answer = Promise.withResolvers<Answer>();
    this.#waiting.set(key, { question, answer });
    if (this.#underWay < this.#limits.messages && this.#waiting.size === 1) queueMicrotask(() => this.#leave());
    return answer.promise;
  }

  #leave(): void {
    while (this.#waiting.size > 0 && this.#underWay < this.#limits.messages) this.#send(this.#take());
  }

  #send(batch: readonly Waiting<Question, Answer>[]): void {
    this.#underWay++;
    this.#askAll(batch.map(({ question }) => question)).then(
      (answers) => {
        this.#arrived();
        answers.forEach((answer, i) => void batch[i]?.answer.resolve(answer));
      },
      (error: unknown) => {
        this.#arrived();
        for (const { answer } of batch) answer.reject(error);
      },
    );
  }

  #take(): Waiting<Question, Answer>[] {
    if (this.#waiting.size <= this.#limits.questions) {
      const all = [...this.#waiting.values()];
      this.#waiting = new Map();
      return all;
    }
    const batch: Waiting<Question, Answer>[] = [];
    for (const [key, waiting] of this.#waiting) {
      if (batch.length === this.#limits.questions) break;
      this.#waiting.delete(key);
      batch.push(waiting);
    }
    return batch;
  }

  /** The next ones leave before these are told: Redis works while the answers go out. */
  #arrived(): void {
    this.#underWay--;
    this.#leave();
  }
}

/** A question that has not left yet. */
interface Waiting<Question, Answer> {
  readonly question: Question;
  readonly answer: PromiseWithResolvers<Answer>;
}

/** Some for each shard: what is slow or away in one of them holds nobody back in another. */
export class BatchesByShard<Question, Answer> {
  readonly #askAll: AskAll<Question, Answer>;
  readonly #limits: BatchLimits;
  readonly #batches = new WeakMap<object, Batches<Question, Answer>>();

  /** @param askAll questions to one shard */
  constructor(askAll: AskAll<Question, Answer>, limits: BatchLimits) {
    this.#askAll = askAll;
    this.#limits = limits;
  }

  of(shard: object): Batches<Question, Answer> {
    const known = this.#batches.get(shard);
    if (known) return known;
    const batches = new Batches(this.#askAll, this.#limits);
    this.#batches.set(shard, batches);
    return batches;
  }
}
