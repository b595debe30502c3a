import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { type JobDependencies, runJob } from '../src/turn/run-job.ts';

const { signal: shutdown } = new AbortController();
const dependencies = { shutdown, agent: { id: 'echo' }, emit: () => undefined } as unknown as JobDependencies;
const job = (begin: () => Promise<'stale'>) =>
  ({ taskId: 'a', started: 1, begin }) as unknown as Parameters<typeof runJob>[1];

test.each([
  ['without a turn', async () => 'stale' as const],
  ['whose turn cannot begin', async () => Promise.reject(new Error('Redis is away'))],
])('a job %s leaves no listener at the signal of the worker', async (_name, begin) => {
  await Promise.allSettled([runJob(dependencies, job(begin))]);
  expect(getEventListeners(shutdown, 'abort')).toEqual([]);
});
