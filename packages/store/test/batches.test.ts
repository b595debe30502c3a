import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Batches, BatchesByShard } from '../src/redis/batches.ts';

/** A Redis that answers when it is told to. */
class Desk {
  /** Messages as they came. */
  readonly asked: (readonly string[])[] = [];
  readonly #answers: PromiseWithResolvers<string[]>[] = [];

  readonly ask = (questions: readonly string[]): Promise<string[]> => {
    this.asked.push(questions);
    const answers = Promise.withResolvers<string[]>();
    this.#answers.push(answers);
    return answers.promise;
  };

  async answer(n: number, ...texts: string[]): Promise<void> {
    this.#answers[n]?.resolve(texts);
    await turnOfTheLoop();
  }

  async fail(n: number): Promise<void> {
    this.#answers[n]?.reject(new Error('away'));
    await turnOfTheLoop();
  }
}

function opened(messages = 1): { batches: Batches<string, string>; desk: Desk } {
  const desk = new Desk();
  return { batches: new Batches(desk.ask, { questions: 32, messages }), desk };
}

describe('batches', () => {
  test('what is asked in one turn of the loop leaves at once in one message, equal questions as one', async () => {
    const { batches, desk } = opened();
    const asked = ['a', 'b', 'a'].map((name) => batches.ask(name, name));
    await turnOfTheLoop();
    expect(desk.asked).toEqual([['a', 'b']]);
    await desk.answer(0, 'A', 'B');
    expect(await Promise.all(asked)).toEqual(['A', 'B', 'A']);
  });

  test('what comes meanwhile leaves with the answers, and does not get the older one', async () => {
    const { batches, desk } = opened();
    const before = batches.ask('a', 'a');
    await turnOfTheLoop();
    const after = [batches.ask('a', 'a'), batches.ask('a', 'a'), batches.ask('b', 'b')];
    await turnOfTheLoop();
    expect(desk.asked).toEqual([['a']]);
    await desk.answer(0, 'old');
    expect(desk.asked).toEqual([['a'], ['a', 'b']]);
    await desk.answer(1, 'new', 'B');
    expect(await before).toBe('old');
    expect(await Promise.all(after)).toEqual(['new', 'new', 'B']);
  });

  test('where two messages may be under way, what comes behind them leaves with the first answers', async () => {
    const { batches, desk } = opened(2);
    for (const name of ['a', 'b', 'c', 'd']) {
      void batches.ask(name, name);
      await turnOfTheLoop();
    }
    expect(desk.asked).toEqual([['a'], ['b']]);
    await desk.answer(1, 'B');
    expect(desk.asked).toEqual([['a'], ['b'], ['c', 'd']]);
    void batches.ask('e', 'e');
    await turnOfTheLoop();
    await desk.answer(0, 'A');
    expect(desk.asked.slice(3)).toEqual([['e']]);
  });

  test('no message has more than 32 questions', async () => {
    const { batches, desk } = opened();
    const names = Array.from({ length: 70 }, (_, i) => `${i}`);
    const asked = names.map((name) => batches.ask(name, name));
    for (let n = 0; n < 3; n++) {
      await turnOfTheLoop();
      await desk.answer(n, ...(desk.asked[n] ?? []));
    }
    expect(desk.asked.map((questions) => questions.length)).toEqual([32, 32, 6]);
    expect(await Promise.all(asked)).toEqual(names);
  });

  test('an answer that takes longer, such as a large text, holds back nobody', async () => {
    const slow = Promise.withResolvers<string>();
    const ask = async (names: readonly string[]): Promise<(string | Promise<string>)[]> =>
      names.map((name) => (name === 'large' ? slow.promise : name));
    const batches = new Batches(ask, { questions: 32, messages: 1 });
    const large = batches.ask('large', 'large');
    expect(await batches.ask('small', 'small')).toBe('small');
    expect(await batches.ask('late', 'late')).toBe('late');
    slow.resolve('text');
    expect(await large).toBe('text');
  });

  test('whoever shares a message shares its failure, and the next ones leave', async () => {
    const { batches, desk } = opened();
    const failing = ['a', 'a', 'b'].map((name) => batches.ask(name, name));
    const outcomes = Promise.allSettled(failing);
    await turnOfTheLoop();
    const next = batches.ask('b', 'b');
    await desk.fail(0);
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await desk.answer(1, 'B');
    expect(await next).toBe('B');
  });

  test('a shard waits for no other', async () => {
    const desk = new Desk();
    const all = new BatchesByShard(desk.ask, { questions: 32, messages: 1 });
    const [here, there] = [{}, {}];
    void all.of(here).ask('a', 'a');
    await turnOfTheLoop();
    void all.of(there).ask('b', 'b');
    void all.of(here).ask('c', 'c');
    await turnOfTheLoop();
    expect(desk.asked).toEqual([['a'], ['b']]);
  });
});
