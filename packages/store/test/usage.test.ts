import { randomUUID } from 'node:crypto';
import { type TaskUsage, type TurnEvent, usageUri } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import type { OpenTurn, Scope } from '../src/index.ts';
import { accepted, begun, userMessage } from './support/drive.ts';
import { alice, testLedger, testRedis, testStore } from './support/redis.ts';

const store = await testStore();
const redis = testRedis();
const kitchen: Scope = { ...alice, agent: 'kitchen' };
const ended = (state: 'COMPLETED' | 'FAILED' | 'INPUT_REQUIRED'): TurnEvent => ({
  kind: 'status',
  state: `TASK_STATE_${state}`,
  settles: true,
});

async function hostTurn(): Promise<OpenTurn> {
  const { taskId } = await accepted(store, alice);
  return begun(store, taskId);
}

async function called(turn: OpenTurn, agent = 'kitchen'): Promise<OpenTurn> {
  const { contextId = '' } = turn.start.task;
  const message = userMessage('cook', { messageId: randomUUID(), contextId });
  const placement = await store.calls.place(turn, { agent, submission: { message }, isDetached: false });
  if (placement.verdict !== 'accepted') throw new Error(placement.verdict);
  return begun(store, placement.taskId);
}

async function usageOf(scope: Scope, { start }: OpenTurn): Promise<TaskUsage | undefined> {
  const reading = await store.tasks.read(scope, start.taskId);
  return JSON.parse(String(reading?.task)).metadata?.[usageUri];
}

const fieldsOf = ({ start }: OpenTurn) => redis.hgetall(`${store.settings.prefix}{s0}:t:${start.taskId}:u`);

test('a turn reads what its task has used so far, with all tasks below it', async () => {
  const host = await hostTurn();
  expect(await host.spent()).toEqual({});
  const cook = await called(host);
  await cook.recordUsage({ model: 'small', inputTokens: 4, calls: 1, microUsd: 7 });
  await host.recordUsage({ model: 'small', outputTokens: 2, calls: 1, unpricedCalls: 1 });
  expect(await host.spent()).toEqual({ inputTokens: 4, outputTokens: 2, calls: 2, unpricedCalls: 1, microUsd: 7 });
  expect(await cook.spent()).toEqual({ inputTokens: 4, calls: 1, microUsd: 7 });
});

test('what a task used is in its last event and in its metadata, and no agent says it', async () => {
  const turn = await hostTurn();
  await turn.recordUsage({ model: 'small', inputTokens: 10, outputTokens: 5, calls: 1, microUsd: 3 });
  await turn.recordUsage({ model: 'large "x"', inputTokens: 1, calls: 1, unpricedCalls: 1 });
  const metadata = { own: 1, [usageUri]: { total: { microUsd: 0 } } };
  await turn.publish({ ...ended('COMPLETED'), metadata } as TurnEvent);
  const task = JSON.parse(String((await store.tasks.read(alice, turn.start.taskId))?.task));
  expect(task.metadata).toEqual({
    own: 1,
    [usageUri]: {
      total: { inputTokens: 11, outputTokens: 5, calls: 2, unpricedCalls: 1, microUsd: 3 },
      own: [
        { model: 'large__x_', inputTokens: 1, calls: 1, unpricedCalls: 1 },
        { model: 'small', inputTokens: 10, outputTokens: 5, calls: 1, microUsd: 3 },
      ],
    },
  });
  const [[, [, event = '']] = ['', []]] = await redis.xrevrange(
    `${store.settings.prefix}{s0}:t:${turn.start.taskId}:e`,
    '+',
    '-',
    'COUNT',
    '1',
  );
  expect(JSON.parse(event).statusUpdate.metadata).toEqual(task.metadata);
});

test('a second turn of a task adds to what the first has used', async () => {
  const turn = await hostTurn();
  const { taskId } = turn.start;
  await turn.recordUsage({ model: 'small', inputTokens: 1, calls: 1 });
  await turn.publish(ended('INPUT_REQUIRED'));
  expect(await usageOf(alice, turn)).toEqual({
    total: { inputTokens: 1, calls: 1 },
    own: [{ model: 'small', inputTokens: 1, calls: 1 }],
  });
  await accepted(store, alice, userMessage('more', { taskId }));
  const second = await begun(store, taskId, { job: 2 });
  await second.recordUsage({ model: 'small', inputTokens: 2, calls: 1 });
  await second.publish({ ...ended('COMPLETED'), metadata: { done: true } } as TurnEvent);
  expect(await usageOf(alice, second)).toEqual({
    total: { inputTokens: 3, calls: 2 },
    own: [{ model: 'small', inputTokens: 3, calls: 2 }],
  });
});

test('usage counts for all tasks above, by the task that was called', async () => {
  const host = await hostTurn();
  const cook = await called(host);
  const oven = await called(cook, 'oven');
  await oven.recordUsage({ model: 'small', outputTokens: 7, microUsd: 70 });
  await cook.recordUsage({ model: 'small', outputTokens: 1, microUsd: 10 });
  await oven.publish(ended('FAILED'));
  await cook.publish(ended('COMPLETED'));
  await host.recordUsage({ model: 'large', outputTokens: 1, microUsd: 5 });
  await host.publish(ended('COMPLETED'));
  expect(await usageOf(alice, host)).toEqual({
    total: { outputTokens: 9, microUsd: 85 },
    own: [{ model: 'large', outputTokens: 1, microUsd: 5 }],
    calls: [{ taskId: cook.start.taskId, agent: 'kitchen', outputTokens: 8, microUsd: 80 }],
  });
  expect(await usageOf(kitchen, cook)).toEqual({
    total: { outputTokens: 8, microUsd: 80 },
    own: [{ model: 'small', outputTokens: 1, microUsd: 10 }],
    calls: [{ taskId: oven.start.taskId, agent: 'oven', outputTokens: 7, microUsd: 70 }],
  });
});

test('a canceled task says what it has used, and what its turn used later counts for its caller', async () => {
  const host = await hostTurn();
  const cook = await called(host);
  await cook.recordUsage({ model: 'small', inputTokens: 4 });
  await store.tasks.cancel(kitchen, cook.start.taskId);
  await cook.publish(ended('COMPLETED'));
  expect((await usageOf(kitchen, cook))?.total).toEqual({ inputTokens: 4 });
  await cook.recordUsage({ model: 'small', inputTokens: 1 });
  await host.publish(ended('COMPLETED'));
  expect((await usageOf(alice, host))?.total).toEqual({ inputTokens: 5 });
  const ttl = await redis.pttl(`${store.settings.prefix}{s0}:t:${cook.start.taskId}:u`);
  expect(ttl).toBeGreaterThan(0);
});

test('a turn that lost its task counts what it has used, and every command counts once', async () => {
  const { taskId } = await accepted(store, alice);
  const first = await begun(store, taskId, { token: 'a:1' });
  const second = await begun(store, taskId, { started: 2, token: 'b:1' });
  await first.recordUsage({ model: 'small', inputTokens: 1 });
  await second.recordUsage({ model: 'small', inputTokens: 10 });
  await first.recordUsage({ model: 'small', inputTokens: 100 });
  expect((await fieldsOf(second))['total inputTokens']).toBe('111');
});

test('amounts with a key are all that was used so far: what grew since counts', async () => {
  const { taskId } = await accepted(store, alice);
  const first = await begun(store, taskId, { token: 'a:1' });
  await first.recordUsage({ model: 'remote', key: 'task 1', inputTokens: 10, microUsd: 5 });
  await first.recordUsage({ model: 'remote', key: 'task 1', inputTokens: 10, microUsd: 7 });
  const second = await begun(store, taskId, { started: 2, token: 'b:1' });
  await second.recordUsage({ model: 'remote', key: 'task 1', inputTokens: 12, microUsd: 6 });
  await second.recordUsage({ model: 'remote', key: 'task 2', inputTokens: 1 });
  const { 'total inputTokens': tokens, 'total microUsd': cost } = await fieldsOf(second);
  expect([tokens, cost]).toEqual(['13', '7']);
});

test('many models and called tasks are counted together', async () => {
  const host = await hostTurn();
  await Promise.all(Array.from({ length: 40 }, (_, i) => host.recordUsage({ model: `m${i}`, inputTokens: 1 })));
  await host.publish(ended('COMPLETED'));
  const usage = await usageOf(alice, host);
  expect(usage?.total).toEqual({ inputTokens: 40 });
  expect(usage?.own).toHaveLength(33);
  expect(usage?.own?.find(({ model }) => model === 'other')).toEqual({ model: 'other', inputTokens: 8 });
});

test('a deployment may keep it from clients', async () => {
  const closed = await testStore({ publishUsage: false });
  const { taskId } = await accepted(closed, alice);
  const turn = await begun(closed, taskId);
  await turn.recordUsage({ model: 'small', inputTokens: 1 });
  await turn.publish(ended('COMPLETED'));
  expect(JSON.parse(String((await closed.tasks.read(alice, taskId))?.task)).metadata).toBeUndefined();
});

test('a turn without a model sends no command for it, one with a model sends one for each of its calls', async () => {
  const ledger = await testLedger();
  const own = await testStore({ redisUrl: ledger.url });
  const turns = await Promise.all([1, 2, 3].map(async () => begun(own, (await accepted(own, alice)).taskId)));
  const [warm, plain, asking] = turns;
  await warm?.recordUsage({ model: 'small', inputTokens: 1 });
  await warm?.publish(ended('COMPLETED'));
  const without = await ledger.during(() => plain?.publish(ended('COMPLETED')) ?? Promise.resolve());
  expect(without.commands).toEqual(['evalsha']);
  const { commands } = await ledger.during(async () => {
    await asking?.recordUsage({ model: 'small', inputTokens: 1 });
    await asking?.publish(ended('COMPLETED'));
  });
  // The last two are the short script for the ends of tasks, which leaves this one to the long one.
  expect(commands).toEqual(['evalsha', 'evalsha', 'evalsha']);
});
