import { describe, expect, test } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import type { NamedSkill, Scope, Store } from '../src/index.ts';
import { queueName } from '../src/index.ts';
import { begun, spent, userMessage } from './support/drive.ts';
import { alice, testRedis, testStore } from './support/redis.ts';
import { queueOf } from './support/runs.ts';

const redis = testRedis();
const print: NamedSkill = { id: 'print', hasQueue: true };
const printQueue = queueName('echo', 'print');
const card = {
  name: 'Echo',
  description: 'Repeats its input',
  version: '1.0.0',
  supportedInterfaces: [],
  capabilities: {},
  defaultInputModes: [],
  defaultOutputModes: [],
  skills: [{ id: 'print', name: 'Print', description: 'Prints', tags: [] }],
};
const announcement = { id: 'echo', card, repliesWithMessage: false, concurrency: 1, skillQueues: { print: 1 } };

async function send(store: Store, more: object = {}, scope: Scope = alice) {
  const message = userMessage();
  const acceptance = await store.tasks.accept(scope, { message, skill: print, ...more });
  if (acceptance.verdict !== 'accepted') throw new Error(acceptance.verdict);
  return { ...acceptance, message };
}

const waiting = (store: Store): Promise<number[]> =>
  Promise.all(['echo', printQueue].map((queue) => store.queue.waiting(queue)));

async function loseJobs({ settings }: Store): Promise<void> {
  await redis.del(...(await redis.keys(`${settings.prefix}{s0}:q:*`)));
}

describe('a task whose first message named a skill with a queue', () => {
  test('waits in that queue', async () => {
    const store = await testStore();
    await send(store);
    expect(await waiting(store)).toEqual([0, 1]);
    await send(store, { skill: { ...print, hasQueue: false } });
    expect(await waiting(store)).toEqual([1, 1]);
  });

  test('gets a lost job back in that queue, by the sweeper and by a retry of the message', async () => {
    const store = await testStore({ sweepAfterMs: 50 });
    const { message } = await send(store);
    await loseJobs(store);
    await until(async () => (await store.outbox.sweep()).added === 1, { what: 'a sweep that adds' });
    expect(await waiting(store)).toEqual([0, 1]);
    await loseJobs(store);
    await send(store, { message });
    expect(await waiting(store)).toEqual([0, 1]);
  });

  test('stays in that queue with messages that name no skill, and its turns know the skill', async () => {
    const store = await testStore();
    const { taskId, contextId } = await send(store);
    const first = await begun(store, taskId);
    expect(first.start.skill).toBe('print');
    await first.publish({ kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', settles: true });
    const { jobs } = await redis.hgetall(`${store.settings.prefix}{s0}:t:${taskId}`);
    await send(store, { message: userMessage('more', { taskId, contextId }), skill: undefined });
    expect(await store.ops.agentQueues.stateOf(printQueue, taskId, Number(jobs) + 1)).toBe('waiting');
    const second = await begun(store, taskId, { job: 2 });
    expect(second.start.skill).toBe('print');
    await second.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true });
  });

  test('gets a successor job in that queue when a job has run its eight turns', async () => {
    const store = await testStore();
    const { taskId, contextId } = await send(store);
    const queue = queueOf(store, redis, { queue: printQueue });
    const { jobs } = await queue.take({ taker: 'taker', number: 1, count: 1, kinds: 'any' });
    const turn = await begun(store, taskId, { turnsBefore: 7, token: jobs[0]?.token ?? '' });
    await send(store, { message: userMessage('more', { taskId, contextId }), skill: undefined });
    await turn.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true });
    expect(turn.ending).toBe('successor');
    expect(await store.ops.agentQueues.stateOf(printQueue, taskId, 2)).toBe('waiting');
    expect(await store.queue.counts(printQueue)).toMatchObject({ waiting: 1, active: 0, delayed: 0 });
  });

  test('enters that queue again when an operator retries its dead letter or reruns it', async () => {
    const store = await testStore();
    const { taskId } = await send(store);
    await (await begun(store, taskId)).publish(spent('It gave up.'));
    expect(await store.ops.deadLetters.retry(taskId)).toMatchObject({ verdict: 'retried' });
    expect(await waiting(store)).toEqual([0, 2]);
    const order = { messageId: 'again', operator: 'ops' };
    expect(await store.ops.tasks.rerun(taskId, order)).toMatchObject({ verdict: 'started' });
    expect(await waiting(store)).toEqual([0, 3]);
  });

  test('leaves no job in that queue when it is canceled and deleted', async () => {
    const store = await testStore();
    const { taskId } = await send(store);
    await store.tasks.cancel(alice, taskId);
    expect(await store.tasks.delete(alice, taskId)).toBe('deleted');
    expect(await waiting(store)).toEqual([0, 0]);
  });

  test('counts as waiting for its agent; its queue is paused with the agent, and listed for operators', async () => {
    const store = await testStore();
    await store.registry.announce([announcement], 'worker');
    const { taskId } = await send(store);
    await send(store, { skill: undefined });
    expect(await store.ops.agents.list()).toMatchObject([
      {
        id: 'echo',
        waiting: 2,
        paused: false,
        longestTenant: 2,
        skills: [{ id: 'print', concurrency: 1, waiting: 1 }],
      },
    ]);
    expect((await store.ops.agents.load(['echo'])).jobs).toBe(2);
    expect(await store.ops.agents.pause('echo')).toMatchObject({ paused: true });
    expect(await store.ops.agentQueues.isPaused(printQueue)).toBe(true);
    await store.ops.agents.resume('echo');
    expect(await store.ops.agentQueues.isPaused(printQueue)).toBe(false);
    expect(await store.ops.tasks.detail(taskId)).toMatchObject({ queueOfSkill: 'print', jobState: 'waiting' });
  });
});

test('the queue of a skill is fair between tenants, and limited to maxWaiting', async () => {
  const store = await testStore({ maxWaiting: 3 });
  const bob = { ...alice, principal: { ...alice.principal, tenant: 'initech' } };
  for (let n = 0; n < 3; n++) await send(store);
  expect(await store.tasks.accept(alice, { message: userMessage(), skill: print })).toMatchObject({
    verdict: 'overloaded',
  });
  const other = await send(store, {}, bob);
  // Beside the first task of the other tenant, and before its next ones.
  expect((await store.ops.agentQueues.inspect(printQueue, other.taskId, 1)).before).toBeLessThan(2);
  expect((await store.tasks.accept(alice, { message: userMessage() })).verdict).toBe('accepted');
});
