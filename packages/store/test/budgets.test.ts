import { randomUUID } from 'node:crypto';
import type { TurnEvent } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import type { OpenTurn, TurnBudgets } from '../src/index.ts';
import { accepted, begun, userMessage } from './support/drive.ts';
import { alice, testRedis, testStore } from './support/redis.ts';

const store = await testStore();
const redis = testRedis();
const none = { microUsd: 0, tokens: 0 };
const ofAgent = (microUsd: number, asks = false): TurnBudgets => ({ agent: { ...none, microUsd }, client: none, asks });
const ofClient = (microUsd: number): TurnBudgets => ({ agent: none, client: { ...none, microUsd }, asks: false });
const unlimited: TurnBudgets = { agent: none, client: none, asks: false };
const asking: TurnEvent = { kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', settles: true };
const spend = (turn: OpenTurn, microUsd: number) => turn.recordUsage({ model: 'm', inputTokens: 1, microUsd });

async function hostTurn(of = store): Promise<OpenTurn> {
  return begun(of, (await accepted(of, alice)).taskId);
}

async function called(turn: OpenTurn): Promise<OpenTurn> {
  const { contextId = '' } = turn.start.task;
  const message = userMessage('cook', { messageId: randomUUID(), contextId });
  const call = { agent: 'kitchen', submission: { message }, isDetached: false };
  const placement = await store.calls.place(turn, call);
  if (placement.verdict !== 'accepted') throw new Error(placement.verdict);
  return begun(store, placement.taskId);
}

async function answered({ start: { taskId } }: OpenTurn, job: number): Promise<OpenTurn> {
  await accepted(store, alice, userMessage('yes', { taskId }));
  return begun(store, taskId, { job });
}

test('a task may spend until its budget is reached, in money or in tokens', async () => {
  const turn = await hostTurn();
  await spend(turn, 99);
  expect(await turn.spentBudget(ofAgent(100))).toBeUndefined();
  await spend(turn, 2);
  const spent = { of: 'task', unit: 'microUsd', spent: 101, budget: 100, renewsAtMs: 0, allowance: 100 };
  expect(await turn.spentBudget(ofAgent(100))).toEqual(spent);
  const tokens = { ...unlimited, agent: { ...none, tokens: 2 } };
  expect(await turn.spentBudget(tokens)).toMatchObject({ of: 'task', unit: 'tokens', spent: 2, budget: 2 });
  expect(await turn.spentBudget(ofAgent(1_000))).toBeUndefined();
});

test('a called task may spend what its callers have left, whatever else they have called', async () => {
  const host = await hostTurn();
  expect(await host.spentBudget(ofAgent(100))).toBeUndefined();
  const [one, other] = [await called(host), await called(host)];
  const below = await called(one);
  await spend(below, 60);
  expect(await other.spentBudget(unlimited)).toBeUndefined();
  await spend(other, 40);
  for (const turn of [one, other, below])
    expect(await turn.spentBudget(unlimited)).toMatchObject({ of: 'caller', spent: 100, budget: 100 });
  expect(await host.spentBudget(ofAgent(100))).toMatchObject({ of: 'task' });
});

test('a task that may go on spends as much again, besides what it has spent, once', async () => {
  const first = await hostTurn();
  await spend(first, 130);
  for (const _ of [1, 2]) expect(await first.spentBudget(ofAgent(100, true))).toMatchObject({ budget: 100 });
  await first.publish(asking);
  const second = await answered(first, 2);
  // A message alone is no consent.
  expect(await second.spentBudget({ ...ofAgent(100), asks: false })).toMatchObject({ spent: 130, budget: 100 });
  for (const _ of [1, 2]) await second.continueWork(true);
  for (const _ of [1, 2]) expect(await second.spentBudget(ofAgent(100, true))).toBeUndefined();
  await spend(second, 100);
  expect(await second.spentBudget(ofAgent(100, true))).toMatchObject({ spent: 230, budget: 230, allowance: 100 });
  // Another attempt at the same message is no other answer.
  const again = await begun(store, first.start.taskId, { job: 2, started: 2, token: 'b:1' });
  await again.continueWork(true);
  expect(await again.spentBudget(ofAgent(100, true))).toMatchObject({ spent: 230, budget: 230 });
});

test('the turn that goes on has the steps of the turn that asked, and an event before it is refused', async () => {
  const first = await hostTurn();
  const { taskId } = first.start;
  await store.steps.begin(first, 'step plan');
  await store.steps.end(first, 'step plan', '"a plan"');
  await spend(first, 100);
  await first.spentBudget(ofAgent(100, true));
  await first.publish(asking);
  await accepted(store, alice, userMessage('hm', { taskId }));
  expect(await store.waits.give(alice, taskId, { name: 'payment', data: '1' })).toEqual({ verdict: 'idle' });
  const second = await begun(store, taskId, { job: 2 });
  await second.continueWork(false);
  await second.publish(asking);
  const third = await answered(first, 3);
  await third.continueWork(true);
  expect(await store.steps.begin(third, 'step plan')).toEqual({ verdict: 'done', result: '"a plan"' });
  expect(await store.waits.give(alice, taskId, { name: 'payment', data: '1' })).toEqual({ verdict: 'given' });
});

test('a client may name a smaller budget, which holds for later messages, and a new one', async () => {
  const first = await hostTurn();
  await spend(first, 50);
  const both = { ...ofAgent(100), client: { ...none, microUsd: 50 } };
  expect(await first.spentBudget(both)).toMatchObject({ spent: 50, budget: 50 });
  await first.publish(asking);
  const second = await answered(first, 2);
  expect(await second.spentBudget(ofAgent(100))).toMatchObject({ budget: 50 });
  await second.publish(asking);
  const third = await answered(first, 3);
  expect(await third.spentBudget(ofClient(80))).toBeUndefined();
});

test('a turn that has lost its task is told so', async () => {
  const turn = await hostTurn();
  await begun(store, turn.start.taskId, { started: 2, token: 'b:1' });
  await expect(turn.spentBudget(ofAgent(1))).rejects.toThrow('The turn has ended');
});

test('tenants and principals have budgets for a day and a month, which renew', async () => {
  const own = await testStore({ budgetOfTenantPerMonth: 1_000, budgetOfPrincipalPerDay: 100 });
  const turn = await hostTurn(own);
  await spend(turn, 99);
  expect(await own.tasks.spentBudget(alice, { message: userMessage() })).toBeUndefined();
  await spend(turn, 1);
  const [day, now] = [86_400_000, Date.now()];
  const spent = { spent: 100, budget: 100, renewsAtMs: Math.ceil(now / day) * day, allowance: 0 };
  expect(await turn.spentBudget(unlimited)).toEqual({ of: 'principal', unit: 'microUsd', ...spent });
  expect(await own.tasks.spentBudget(alice, { message: userMessage() })).toMatchObject({
    of: 'principal',
    spentMicroUsd: 100,
  });
  const other = { ...alice, principal: { ...alice.principal, subject: 'carol' } };
  expect(await own.tasks.spentBudget(other, { message: userMessage() })).toBeUndefined();
  await spend(turn, 900);
  const ofTenant = await own.tasks.spentBudget(other, { message: userMessage() });
  expect(ofTenant).toMatchObject({ of: 'tenant', spentMicroUsd: 1_000, budgetMicroUsd: 1_000 });
  const renews = new Date(ofTenant?.renewsAtMs ?? 0);
  expect([renews.getUTCDate(), renews.getTime() % day, renews.getTime() > now]).toEqual([1, 0, true]);
  const keys = await redis.keys(`${own.settings.prefix}{s0}:usage:spent:*`);
  expect(keys).toHaveLength(2);
});
