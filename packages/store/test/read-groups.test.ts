import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { ReadGroup, ReadGroups } from '../src/tasks/read-groups.ts';

/** A Redis that answers when it is told to. */
class Desk {
  /** Questions as they left. */
  readonly asked: string[] = [];
  readonly #answers: PromiseWithResolvers<string>[] = [];

  question(name: string): () => Promise<string> {
    return () => {
      this.asked.push(name);
      const answer = Promise.withResolvers<string>();
      this.#answers.push(answer);
      return answer.promise;
    };
  }

  async answer(n: number, text: string): Promise<void> {
    this.#answers[n]?.resolve(text);
    await turnOfTheLoop();
  }

  async fail(n: number): Promise<void> {
    this.#answers[n]?.reject(new Error('away'));
    await turnOfTheLoop();
  }
}

describe('reads in groups', () => {
  test('what is asked in one turn of the loop leaves at once, equal questions as one', async () => {
    const [group, desk] = [new ReadGroup<string>(), new Desk()];
    const asked = ['a', 'b', 'a'].map((name) => group.ask(name, desk.question(name)));
    await turnOfTheLoop();
    expect(desk.asked).toEqual(['a', 'b']);
    await desk.answer(0, 'A');
    await desk.answer(1, 'B');
    expect(await Promise.all(asked)).toEqual(['A', 'B', 'A']);
  });

  test('what comes meanwhile leaves with the first answer, and does not get the older one', async () => {
    const [group, desk] = [new ReadGroup<string>(), new Desk()];
    const before = group.ask('a', desk.question('a'));
    await turnOfTheLoop();
    const after = [group.ask('a', desk.question('a')), group.ask('a', desk.question('a'))];
    await turnOfTheLoop();
    expect(desk.asked).toEqual(['a']);
    await desk.answer(0, 'old');
    expect(desk.asked).toEqual(['a', 'a']);
    await desk.answer(1, 'new');
    expect(await before).toBe('old');
    expect(await Promise.all(after)).toEqual(['new', 'new']);
  });

  test('one slow answer holds back nobody once another is there', async () => {
    const [group, desk] = [new ReadGroup<string>(), new Desk()];
    const slow = group.ask('slow', desk.question('slow'));
    void group.ask('quick', desk.question('quick'));
    await turnOfTheLoop();
    void group.ask('late', desk.question('late'));
    await desk.answer(1, 'quick');
    expect(desk.asked).toEqual(['slow', 'quick', 'late']);
    await desk.answer(0, 'slow');
    expect(await slow).toBe('slow');
    expect(desk.asked).toHaveLength(3);
  });

  test('whoever shares a question shares its failure, and the next ones leave', async () => {
    const [group, desk] = [new ReadGroup<string>(), new Desk()];
    const failing = [group.ask('a', desk.question('a')), group.ask('a', desk.question('a'))];
    const outcomes = Promise.allSettled(failing);
    await turnOfTheLoop();
    const next = group.ask('b', desk.question('b'));
    await desk.fail(0);
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await desk.answer(1, 'B');
    expect(await next).toBe('B');
  });

  test('a shard waits for no other', async () => {
    const [groups, desk] = [new ReadGroups<string>(), new Desk()];
    const [here, there] = [{}, {}];
    void groups.of(here).ask('a', desk.question('a'));
    await turnOfTheLoop();
    void groups.of(there).ask('b', desk.question('b'));
    void groups.of(here).ask('c', desk.question('c'));
    await turnOfTheLoop();
    expect(desk.asked).toEqual(['a', 'b']);
  });
});
