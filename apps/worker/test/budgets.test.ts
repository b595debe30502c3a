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
  return until(ended, { what: 'the turn has ended' });
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

test('an agent reads what its task has spent, also of a request that was just noted', async () => {
  const thrifty: Execute = async (turn) => {
    noteModelCall({ model: 'm', durationMs: 1, inputTokens: 10, microUsd: 1_000_000 });
    return turn.requireInput(JSON.stringify(await turn.spent()));
  };
  const store = await stage([agent('thrifty', thrifty)]);
  const first = await send(store, 'thrifty', { text: 'one' });
  expect(JSON.parse(textOf(first) ?? '')).toEqual({ calls: 1, inputTokens: 10, microUsd: 1_000_000 });
  const second = await send(store, 'thrifty', { text: 'two', taskId: first.id });
  expect(JSON.parse(textOf(second) ?? '')).toEqual({ calls: 2, inputTokens: 20, microUsd: 2_000_000 });
});

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
    'Spent 20 tokens of 20 tokens. Go on, and spend up to 20 tokens more? Answer yes or no.',
  ]);
  // Without steps, the same work begins again.
  const again = await send(store, 'payer', { text: 'yes please', taskId: asked.id });
  expect([stateOf(again), textOf(again)]).toEqual([
    'INPUT_REQUIRED',
    'Spent 40 tokens of 40 tokens. Go on, and spend up to 20 tokens more? Answer yes or no.',
  ]);
});

/** Pays 1 USD for each of three steps, two tokens for the call between them, and says what it knows. */
const worker: Execute = async (turn) => {
  const texts: string[] = [];
  for (const name of ['first', 'second', 'third']) {
    const pay = async () => {
      await checkBudget();
      noteModelCall({ model: 'm', durationMs: 1, microUsd: 1_000_000 });
      return `${name} of ${turn.text}`;
    };
    texts.push(await turn.step(name, pay));
    if (name === 'first') texts.push((await turn.call('echo', 'hello')).text);
  }
  const history = turn.history.map(({ parts: [part] }) => part?.text).join(', ');
  return turn.complete(`${texts.join(', ')}; ${history}`);
};

test('the work goes on where it stopped when the client says yes, with the same message, and pays for nothing twice', async () => {
  const called: string[] = [];
  const echo: Execute = (turn) => {
    called.push(turn.text);
    return turn.complete(turn.text);
  };
  // Each step costs more than the budget: each answer lets it make one.
  const budget: Budget = { microUsd: 400_000, whenSpent: 'ask' };
  const store = await stage([agent('worker', worker, budget), agent('echo', echo)]);
  let task = await send(store, 'worker', { text: 'a wish' });
  const asked = [textOf(task)];
  for (const text of ['Hm?', 'Yes.', 'ok', 'yes']) {
    if (stateOf(task) !== 'INPUT_REQUIRED') break;
    task = await send(store, 'worker', { text, taskId: task.id });
    asked.push(textOf(task));
  }
  expect(asked).toEqual([
    'Spent 1.00 USD of 0.40 USD. Go on, and spend up to 0.40 USD more? Answer yes or no.',
    'Spent 1.00 USD of 0.40 USD. Go on, and spend up to 0.40 USD more? Answer yes or no.',
    'Spent 2.00 USD of 1.40 USD. Go on, and spend up to 0.40 USD more? Answer yes or no.',
    'first of a wish, hello, second of a wish, third of a wish; a wish',
  ]);
  expect([called, usageOf(task)?.total.microUsd]).toEqual([['hello'], 3_000_000]);
});

test('a task whose client says no fails', async () => {
  const store = await stage([agent('payer', payer, { tokens: 20, whenSpent: 'ask' })]);
  const asked = await send(store, 'payer', { text: 'one two three' });
  const ended = await send(store, 'payer', { text: 'No, thanks', taskId: asked.id });
  expect([stateOf(ended), textOf(ended), usageOf(ended)?.total.calls]).toEqual([
    'FAILED',
    'The task has spent its budget, and may not go on.',
    2,
  ]);
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
