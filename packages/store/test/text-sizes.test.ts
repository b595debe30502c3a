import { expect, test } from 'vitest';
import { accepted, agentMessage, begun, userMessage } from './support/drive.ts';
import { alice, testRedis, testStore } from './support/redis.ts';

const redis = testRedis();

const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

test.each([
  { of: 'small texts', text: 'x'.repeat(20) },
  { of: 'texts with keys of their own', text: 'é'.repeat(5_000) },
  { of: 'texts that are not copied through a script', text: 'x'.repeat(100_000) },
])('a turn knows the bytes of the history and of each artifact: $of', async ({ text }) => {
  const store = await testStore();
  const { taskId } = await accepted(store, alice);
  const first = await begun(store, taskId);
  for (const artifactId of ['a', 'b']) {
    const artifact = { artifactId, parts: [{ text: artifactId + text }, { data: { n: 1 } }] };
    await first.publish({ kind: 'artifact', artifact, append: false, lastChunk: true });
  }
  await first.publish({ kind: 'status', state: 'TASK_STATE_WORKING', settles: false, message: agentMessage(text) });
  await first.handBack(false);
  const { sizes, task } = (await begun(store, taskId, { started: 2, token: 'another:1' })).start;
  const known = [sizes?.history, ...(sizes?.artifacts ?? [])];
  const counted = [bytes(task.history), ...(task.artifacts ?? []).map(({ parts }) => bytes(parts))];
  expect(known).toHaveLength(3);
  // Brackets, and the tabs between messages.
  for (const [i, count] of counted.entries()) expect(Math.abs((known[i] ?? 0) - count)).toBeLessThan(6);
});

const long = 'x'.repeat(600_000);

test.each([
  { of: 'its artifact', question: 'hello', texts: 1 },
  { of: 'its artifact and its history', question: long, texts: 2 },
])('what a task that has ended has in Redis is about as large as its texts: $of', async ({ question, texts }) => {
  const store = await testStore();
  const { taskId } = await accepted(store, alice, userMessage(question));
  const turn = await begun(store, taskId);
  for (const append of [false, true]) {
    const artifact = { artifactId: 'a', parts: [{ text: long }] };
    await turn.publish({ kind: 'artifact', artifact, append, lastChunk: append });
    await turn.flush();
  }
  const message = agentMessage(texts === 1 ? 'Done' : long);
  await turn.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true, message });
  const found = await redis.keys(`${store.settings.prefix}{s0}:t:${taskId}:*`);
  const keys = found.filter((key) => /:(?:h|p1):\d+$/.test(key));
  expect(keys, found.join()).toHaveLength(texts);
  for (const key of keys) {
    // The sizes of its allocator are up to a quarter apart.
    expect(Number(await redis.memory('USAGE', key))).toBeLessThan(1.3 * (await redis.strlen(key)));
    expect(await redis.pttl(key)).toBeGreaterThan(0);
  }
});
