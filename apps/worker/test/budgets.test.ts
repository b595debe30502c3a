import { randomUUID } from 'node:crypto';
import { type Agent, type Budget, checkBudget, defineAgent, type Execute, noteModelCall } from '@switchyard/agent';
import { type Task, type TaskUsage, usageUri } from '@switchyard/protocol';
import { Store, type StoreSettings } from '@switchyard/store';
import { afterEach, expect, inject, test } from 'vitest';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { askModel, openScriptedModel } from '../../../tests/support/scripted-model.ts';
import { until } from '../../../tests/support/until.ts';
import { Worker } from '../src/index.ts';

// What turns use of models, and what budgets let them use.

const running: (Worker | Store)[] = [];

afterEach(async () => {
  for (const one of running.splice(0).reverse()) await one.stop();
});

async function startStore(settings: Partial<StoreSettings>): Promise<Store> {
  const store = new Store({ redisUrl: inject('redisUrl'), ...settings }, () => undefined);
  running.push(store);
  await store.start();
  return store;
}

/** Starts a worker for the agents, and returns a client's store. */
async function stage(agents: readonly Agent[], settings: Partial<StoreSettings> = {}): Promise<Store> {
  const own = { prefix: uniquePrefix(), ...settings };
  const store = await startStore(own);
  const worker = new Worker({ drainMs: 0, sweepEveryMs: 60_000 }, { store, agents, emit: () => undefined });
  running.push(worker);
  await worker.start();
  return startStore(own);
}

const card = { name: 'Test agent', description: 'For tests.', version: '1.0.0', skills: [] };
const agent = (id: string, execute: Execute, budget?: Budget): Agent =>
  defineAgent({ id, card, execute, ...(budget && { budget }) });
const scope = (agentId: string) => ({ principal: { tenant: 'acme', subject: 'alice', scopes: [] }, agent: agentId });

/** Sends a message, and returns the task when its turn has ended. */
async function send(store: Store, agentId: string, message: { text: string; taskId?: string; metadata?: object }) {
  const { text, ...named } = message;
  const sent = { messageId: randomUUID(), role: 'ROLE_USER' as const, parts: [{ text }], ...named };
  const accepted = await store.tasks.accept(scope(agentId), { message: sent } as never);
  if (accepted.verdict !== 'accepted') throw new Error(accepted.verdict);
  const ended = async (): Promise<Task | false> => {
    const { task, answered = 0 } = (await store.tasks.read(scope(agentId), accepted.taskId)) ?? {};
    return answered >= accepted.number && JSON.parse(String(task));
  };
  return until(ended, { what: 'the turn has ended', timeoutMs: 10_000 });
}

const stateOf = ({ status }: Task): string => status.state.replace('TASK_STATE_', '');
const textOf = ({ status }: Task): string | undefined => status.message?.parts[0]?.text;
const usageOf = ({ metadata }: Task) => metadata?.[usageUri] as TaskUsage | undefined;

/** Pays for each word of the message, 1 USD. */
const payer: Execute = async (turn) => {
  for (const _ of turn.text.split(' ')) {
    await checkBudget();
    noteModelCall({ model: 'm', durationMs: 1, inputTokens: 10, microUsd: 1_000_000 });
  }
  return turn.complete('paid');
};

test('a task fails when it has spent its budget, and says so', async () => {
  const store = await stage([agent('payer', payer, { microUsd: 2_000_000 })]);
  const paid = await send(store, 'payer', { text: 'one two' });
  expect([stateOf(paid), usageOf(paid)?.total]).toEqual([
    'COMPLETED',
    { calls: 2, inputTokens: 20, microUsd: 2_000_000 },
  ]);
  const stopped = await send(store, 'payer', { text: 'one two three four' });
  expect([stateOf(stopped), textOf(stopped)]).toEqual([
    'FAILED',
    'The task has spent its budget: 2.00 USD of 2.00 USD.',
  ]);
  expect(usageOf(stopped)?.total).toEqual({ calls: 2, inputTokens: 20, microUsd: 2_000_000 });
});

test('a task asks whether it may go on, and goes on when its client answers', async () => {
  const store = await stage([agent('payer', payer, { tokens: 20, whenSpent: 'ask' })]);
  const asked = await send(store, 'payer', { text: 'one two three' });
  expect([stateOf(asked), textOf(asked)]).toEqual([
    'INPUT_REQUIRED',
    'Spent 20 tokens of 20 tokens: go on? Any answer lets the task spend as much again; cancel it to stop.',
  ]);
  const paid = await send(store, 'payer', { text: 'yes please', taskId: asked.id });
  expect([stateOf(paid), usageOf(paid)?.total.calls]).toEqual(['COMPLETED', 4]);
});

test('a budget that the client names holds for called tasks, too', async () => {
  const caller = agent('caller', async (turn) => {
    const replies = await Promise.all(['one two three', 'four five six'].map((text) => turn.call('payer', text)));
    return turn.complete(replies.map(({ text }) => text).join(' / '));
  });
  const store = await stage([caller, agent('payer', payer)]);
  const metadata = { [usageUri]: { budget: { microUsd: 3_000_000 } } };
  const task = await send(store, 'caller', { text: 'go', metadata });
  // The two calls are under way at the same time: each of them may exceed the budget by the request that it makes.
  expect(textOf(task)).toContain('The task that called this one has spent its budget: ');
  const { total, calls = [] } = usageOf(task) ?? { total: {} };
  expect([3_000_000, 4_000_000]).toContain(total.microUsd);
  expect(calls.reduce((sum, { microUsd = 0 }) => sum + microUsd, 0)).toBe(total.microUsd);
});

test('the budget of a tenant stops a running task before its next request', async () => {
  const store = await stage([agent('payer', payer)], { budgetOfTenantPerDay: 1_500_000 });
  const task = await send(store, 'payer', { text: 'one two three' });
  expect(textOf(task)).toMatch(/^The budget of your tenant is spent: 2.00 USD of 1.50 USD. It renews at \S+T00:00:00/);
});

test('a model is not asked any more, and what it was asked is counted', async () => {
  await using model = await openScriptedModel();
  const asker: Execute = async (turn) => {
    for (const prompt of ['one', 'two', 'three']) await askModel(turn, prompt);
    return turn.complete('asked');
  };
  const store = await stage([agent('asker', asker, { tokens: 150 })]);
  const task = await send(store, 'asker', { text: model.url });
  expect([stateOf(task), model.asked]).toEqual(['FAILED', ['one', 'two']]);
  const sum = model.answered.reduce((all, { input, output }) => all + input + output, 0);
  const { inputTokens = 0, outputTokens = 0 } = usageOf(task)?.total ?? {};
  expect(inputTokens + outputTokens).toBe(sum);
});
