import { randomUUID } from 'node:crypto';
import type { Message } from '@switchyard/protocol';
import { describe, expect, test } from 'vitest';
import type { Submission } from '../src/index.ts';
import { accepted, userMessage } from './support/drive.ts';
import { alice, bob, testRedis, testStore } from './support/redis.ts';

// A messageId is used once, on whichever shards the contexts and tasks are that messages with it name.

const TRIES = 12; // with five shards, four of five pairs are on two of them

describe.each([1, 5])('On %i shards', (shards) => {
  const opened = testStore({ shards });
  const redis = testRedis();
  const verdictOf = async (message: Message, more: Partial<Submission> = {}): Promise<string> => {
    const acceptance = await (await opened).tasks.accept(alice, { message, ...more });
    return acceptance.verdict === 'accepted' && acceptance.isDuplicate ? 'duplicate' : acceptance.verdict;
  };

  test('a messageId that was used in one context is refused in another one, and without a context', async () => {
    for (let n = 0; n < TRIES; n++) {
      const message = userMessage('once', { contextId: randomUUID() });
      const { contextId: _, ...without } = message;
      expect(await verdictOf(message)).toBe('accepted');
      expect(await verdictOf({ ...message, contextId: randomUUID() })).toBe('conflict');
      expect(await verdictOf(without)).toBe('conflict');
      expect(await verdictOf(message)).toBe('duplicate');
    }
  });

  test('a messageId that was used without a context is refused with one', async () => {
    for (let n = 0; n < TRIES; n++) {
      const message = userMessage('once');
      expect(await verdictOf(message)).toBe('accepted');
      expect(await verdictOf({ ...message, contextId: randomUUID() })).toBe('conflict');
      expect(await verdictOf(message)).toBe('duplicate');
    }
  });

  test('a messageId that was used for a task is refused for another one, and two at once are accepted once', async () => {
    for (let n = 0; n < TRIES; n++) {
      const [one, other] = await Promise.all([accepted(await opened, alice), accepted(await opened, alice)]);
      const message = userMessage('more', { taskId: one.taskId });
      const moved = { ...message, taskId: other.taskId };
      const verdicts = await Promise.all([verdictOf(message), verdictOf(moved)]);
      expect(verdicts.sort()).toEqual(['accepted', 'conflict']);
    }
  });

  /** Names of messages in Redis, without those of other tests: a key for each, and what was claimed on other shards. */
  const namesOf = async (owner: string): Promise<string[]> =>
    redis.keys(`${(await opened).settings.prefix}{s*}:m:acme/${owner}/*`);

  test('a deleted task leaves no name of its messages on any shard', async () => {
    const store = await opened;
    const carol = { ...alice, principal: { ...alice.principal, subject: 'carol' } };
    for (let n = 0; n < TRIES; n++) {
      const message = userMessage('once', { contextId: randomUUID(), messageId: `"${n}": ü` });
      const { taskId } = await accepted(store, carol, message);
      await store.tasks.accept(carol, { message: userMessage('more', { taskId }), idempotencyKey: `key:${n}` });
      await store.tasks.cancel(carol, taskId);
      expect((await namesOf('carol')).length).toBeGreaterThanOrEqual(2);
      expect(await store.tasks.delete(carol, taskId)).toBe('deleted');
      expect(await namesOf('carol')).toEqual([]);
    }
  });

  test.runIf(shards > 1)(
    'a name that another message has since stays, when the task of the first is deleted',
    async () => {
      const store = await opened;
      const dave = { ...alice, principal: { ...alice.principal, subject: 'dave' } };
      const contexts = Array.from({ length: TRIES }, () => randomUUID());
      const tasks = await Promise.all(
        contexts.map((contextId) => accepted(store, dave, userMessage('once', { contextId }))),
      );
      const claims: string[] = [];
      for (const key of await namesOf('dave')) if (!(await redis.get(key))?.includes(' ')) claims.push(key);
      expect(claims.length).toBeGreaterThan(0);
      for (const key of claims) await redis.set(key, 'of-another-body');
      for (const { taskId } of tasks) {
        await store.tasks.cancel(dave, taskId);
        await store.tasks.delete(dave, taskId);
      }
      expect((await namesOf('dave')).sort()).toEqual(claims.sort());
    },
  );

  test('a message that is refused leaves its messageId free, and other principals have their own', async () => {
    const store = await opened;
    const { taskId } = await accepted(store, alice);
    await store.tasks.cancel(alice, taskId);
    for (let n = 0; n < TRIES; n++) {
      const message = userMessage('late', { taskId });
      expect(await verdictOf(message)).toBe('terminal');
      const free = { ...userMessage('late', { contextId: randomUUID() }), messageId: message.messageId };
      expect(await verdictOf(free)).toBe('accepted');
      expect((await store.tasks.accept(bob, { message: { ...free, contextId: randomUUID() } })).verdict).toBe(
        'accepted',
      );
    }
  });
});
