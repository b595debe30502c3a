import { expect, test } from 'vitest';
import { AnswersTooLarge, ByteBudget } from '../src/tasks/read/byte-budget.ts';
import { LargeTasks } from '../src/tasks/read/large-tasks.ts';
import { TaskJson } from '../src/tasks/read/task-json.ts';
import { testRedis } from './support/redis.ts';

const [first, second] = [testRedis(), testRedis()];
const bytes = 100;

/** A read that ends when the test resolves or rejects it. */
function slowRead() {
  const { promise, resolve, reject } = Promise.withResolvers<readonly Buffer[] | undefined>();
  return {
    read: () => promise,
    resolve: () => resolve([Buffer.alloc(bytes)]),
    reject,
    replace: () => resolve(undefined),
  };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a read over one connection does not wait for a read over another; both return the same bytes', async () => {
  const tasks = new LargeTasks(new ByteBudget(1_000));
  const [slow, quick] = [slowRead(), slowRead()];
  const late = tasks.get(first, { key: 'a', bytes, read: slow.read });
  const early = tasks.get(second, { key: 'a', bytes, read: quick.read });
  quick.resolve();
  const json = await early;
  expect(json?.length).toBe(bytes);
  slow.resolve();
  expect(await late).toBe(json);
  await nextTurn();
  expect(tasks.bytes).toBe(0);
});

test('concurrent reads of a task over one connection share one read', async () => {
  const tasks = new LargeTasks(new ByteBudget(150));
  const slow = slowRead();
  const both = [1, 2].map(() => tasks.get(first, { key: 'a', bytes, read: slow.read }));
  expect(tasks.bytes).toBe(bytes);
  slow.resolve();
  const [one, other] = await Promise.all(both);
  expect(one).toBe(other);
});

test('a task counts against the budget while it is read and while it is retained', async () => {
  const tasks = new LargeTasks(new ByteBudget(150));
  const slow = slowRead();
  const reading = tasks.get(first, { key: 'a', bytes, read: slow.read });
  await expect(tasks.get(first, { key: 'b', bytes, read: slow.read })).rejects.toThrow(AnswersTooLarge);
  slow.resolve();
  const kept = await reading;
  // Until the next turn of the event loop, its reader may still retain it.
  expect(tasks.bytes).toBe(bytes);
  const [one, other] = [kept?.retain(), kept?.wrapped('<', '>').retain()];
  await nextTurn();
  one?.[Symbol.dispose]();
  expect(tasks.bytes).toBe(bytes);
  other?.[Symbol.dispose]();
  expect(tasks.bytes).toBe(0);
  using copies = kept?.retainCopies(4);
  expect([copies !== undefined, tasks.bytes]).toEqual([true, 4 * bytes]);
  await expect(tasks.get(first, { key: 'a', bytes, read: slow.read })).rejects.toThrow(AnswersTooLarge);
});

test('a failed read and a read of a replaced task release their bytes', async () => {
  const tasks = new LargeTasks(new ByteBudget(1_000));
  const [failing, replaced] = [slowRead(), slowRead()];
  const readings = [failing, replaced].map(({ read }, i) => tasks.get(first, { key: `${i}`, bytes, read }));
  failing.reject(new Error('Redis is away'));
  replaced.replace();
  expect((await Promise.allSettled(readings)).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  await nextTurn();
  expect(tasks.bytes).toBe(0);
});

test('an answer that is made from files counts while it is made and sent', async () => {
  const tasks = new LargeTasks(new ByteBudget(150));
  const written = Promise.withResolvers<string>();
  const making = tasks.make(bytes, () => written.promise);
  await expect(tasks.make(bytes, async () => '')).rejects.toThrow(AnswersTooLarge);
  written.resolve('{"raw":"AAAA"}');
  const sent = (await making).retain();
  await nextTurn();
  await expect(tasks.make(bytes, async () => '')).rejects.toThrow(AnswersTooLarge);
  sent[Symbol.dispose]();
  expect(tasks.bytes).toBe(0);
  await expect(tasks.make(bytes, () => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
  await nextTurn();
  expect(tasks.bytes).toBe(0);
});

test('a text is found where a piece of a large task ends, too', () => {
  const json = TaskJson.of(['{"url":"/fi', 'les/r', '0123"}'].map((piece) => Buffer.from(piece)));
  expect(['/files/r', '"/fi', '0123', '/files/s', 'r0124'].map((text) => json.includes(text))).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});
