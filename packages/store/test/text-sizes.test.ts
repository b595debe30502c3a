import { expect, test } from 'vitest';
import { accepted, agentMessage, begun } from './support/drive.ts';
import { alice, testStore } from './support/redis.ts';

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
