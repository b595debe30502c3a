import { randomUUID } from 'node:crypto';
import { type Agent, type CallOptions, defineAgent, type Execute, RetryableError } from '@switchyard/agent';
import { Ops } from '@switchyard/operators';
import type { Task } from '@switchyard/protocol';
import { Store, type StoreSettings } from '@switchyard/store';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { until } from '../../../tests/support/until.ts';
import { Worker } from '../src/index.ts';

const running: (Worker | Store)[] = [];

afterEach(async () => {
  for (const one of running.splice(0).reverse()) await one.stop();
});

async function startStore(prefix: string, settings: Partial<StoreSettings> = {}): Promise<Store> {
  const store = new Store({ redisUrl: inject('redisUrl'), prefix, ...settings }, () => undefined);
  running.push(store);
  await store.start();
  return store;
}

/** Starts a worker for the agents, and returns a client's store. */
async function stage(
  agents: readonly Agent[],
  callPatienceMs?: number,
  settings: Partial<StoreSettings> = {},
): Promise<Store> {
  const prefix = uniquePrefix();
  const worker = new Worker(
    { drainMs: 0, sweepEveryMs: 60_000, callPatienceMs },
    { store: await startStore(prefix, settings), agents, emit: () => undefined },
  );
  running.push(worker);
  await worker.start();
  return startStore(prefix);
}

const card = { name: 'Test agent', description: 'For tests.', version: '1.0.0', skills: [] };
/** An agent with concurrency 1. */
const agent = (id: string, execute: Execute): Agent => defineAgent({ id, card, execute, concurrency: 1 });

/** Sends the texts to the agent concurrently, and returns the answers when all tasks have ended. */
async function answers(store: Store, agentId: string, texts: readonly string[]): Promise<(string | undefined)[]> {
  const scope = { principal: { tenant: 'acme', subject: 'alice', scopes: [] }, agent: agentId };
  const accepted = await Promise.all(
    texts.map((text) =>
      store.tasks.accept(scope, { message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }] } }),
    ),
  );
  const ended = (taskId: string): Promise<Task> =>
    until(
      async () => {
        const task: Task = JSON.parse((await store.tasks.read(scope, taskId))?.task?.toString() ?? 'null');
        return /COMPLETED|FAILED/.test(task.status.state) && task;
      },
      { what: `${taskId} has ended` },
    );
  const tasks: Task[] = [];
  // One after the other: thirty that ask all the time would keep the machine busy.
  for (const one of accepted) tasks.push(await ended('taskId' in one ? one.taskId : ''));
  return tasks.map(({ status }) => status.message?.parts[0]?.text);
}

/** Calls the next agent with a depth lower by one, until the depth in the message is 0. */
const countDown =
  (next: string): Execute =>
  async (turn) => {
    const depth = Number(turn.text);
    if (depth === 0) return turn.complete('0');
    return turn.complete(`${depth} ${(await turn.call(next, String(depth - 1))).text}`);
  };

describe('an agent with concurrency 1', () => {
  test('can call itself: it does not wait for its own slot', async () => {
    const store = await stage([agent('self', countDown('self'))]);
    expect(await answers(store, 'self', ['3'])).toEqual(['3 2 1 0']);
  });

  test('in a circle of agents that call each other causes no deadlock, with 30 concurrent clients', async () => {
    const store = await stage([agent('ping', countDown('pong')), agent('pong', countDown('ping'))]);
    const texts = Array.from({ length: 30 }, () => '6');
    expect(await answers(store, 'ping', texts)).toEqual(texts.map(() => '6 5 4 3 2 1 0'));
  });

  test('runs one turn at a time again when none of its turns waits for a call any more', async () => {
    let now = 0;
    const gate = Promise.withResolvers<void>();
    const other = agent('other', (turn) => turn.complete('there'));
    const both = agent('both', async (turn) => {
      if (turn.text === 'call') return turn.complete((await turn.call('other', 'hello')).text);
      now++;
      await gate.promise;
      return turn.complete('done');
    });
    const store = await stage([both, other]);
    expect(await answers(store, 'both', ['call', 'call', 'call'])).toEqual(['there', 'there', 'there']);
    const work = answers(store, 'both', ['work', 'work']);
    await until(() => now > 0, { what: 'one turn runs' });
    // Long enough for the second turn to begin, if there were a second slot.
    await answers(store, 'other', ['a', 'b', 'c']);
    expect(now).toBe(1);
    gate.resolve();
    await work;
  });

  test('runs turns that a caller awaits before other turns', async () => {
    const order: string[] = [];
    const gate = Promise.withResolvers<void>();
    const cook = agent('cook', async (turn) => {
      order.push(turn.text);
      if (turn.text === 'first') await gate.promise;
      return turn.complete(turn.text);
    });
    const waiter = agent('waiter', async (turn) => {
      const reply = turn.call('cook', 'awaited');
      return turn.complete((await reply).text);
    });
    const store = await stage([cook, waiter]);
    const first = answers(store, 'cook', ['first']);
    await until(() => order.length === 1, { what: 'the first turn runs' });
    const others = answers(store, 'cook', ['later', 'later']);
    await until(async () => (await store.queue.waiting('cook')) === 2, { what: 'two turns wait' });
    const awaited = answers(store, 'waiter', ['go']);
    await until(async () => (await store.queue.waiting('cook')) === 3, { what: 'three turns wait' });
    gate.resolve();
    await Promise.all([first, others, awaited]);
    expect(order).toEqual(['first', 'awaited', 'later', 'later']);
  });
});

test('a call that takes long suspends the turn, which gets the reply of the same call', async () => {
  let runs = 0;
  const boss = agent('boss', async (turn) => {
    runs++;
    const { text } = await turn.call('worker', turn.text);
    return turn.complete(text);
  });
  const patient = agent('worker', async (turn) => {
    const { by } = Object(await turn.waitFor('approval'));
    return turn.complete(`${turn.text} by ${by}`);
  });
  const store = await stage([boss, patient], 50);
  const asked = answers(store, 'boss', ['done', 'made']);
  const ops = new Ops(store);
  const suspended = async () => (await ops.suspendedTurns()) === 4;
  await until(suspended, { what: 'both callers and both called turns are suspended' });
  const scope = { principal: { tenant: 'acme', subject: 'alice', scopes: [] }, agent: 'worker' };
  const { tasks } = await store.tasks.list(scope, { pageSize: 10, historyLength: 0 });
  for (const json of tasks) {
    const { id }: Task = JSON.parse(json.toString());
    await store.waits.give(scope, id, { name: 'approval', data: '{"by":"Ann"}' });
  }
  expect(await asked).toEqual(['done by Ann', 'made by Ann']);
  // Each caller was suspended, on a slow machine perhaps once more until the reply was there.
  expect(runs).toBeGreaterThanOrEqual(4);
});

test('a call that takes longer than its timeoutMs fails, although its turn was suspended meanwhile', async () => {
  const boss = agent('boss', async (turn) => {
    const called = turn.call('worker', 'x', { timeoutMs: 1_200 });
    return turn.complete(await called.then(({ text }) => text).catch(({ kind }) => `failed: ${kind}`));
  });
  const patient = agent('worker', async (turn) => turn.complete(String(await turn.waitFor('never'))));
  const store = await stage([boss, patient], 50);
  expect(await answers(store, 'boss', ['go'])).toEqual(['failed: timed-out']);
});

describe('a turn that runs again when the store has forgotten the messageId of its call does not make it again', () => {
  const long = 'x'.repeat(300_000);
  const cases: readonly [what: string, answer: string, options: CallOptions, callPatienceMs: number][] = [
    ['with wait: false', 'done', { wait: false }, 5_000],
    ['whose reply is too long to be stored', long, {}, 5_000],
    ['for which the turn was suspended', 'done', {}, 50],
    ['for which the turn was suspended, and whose reply is too long', long, {}, 50],
  ];
  test.for(cases)('%s', async ([, answer, options, callPatienceMs]) => {
    const runs: string[] = [];
    const boss = defineAgent({
      id: 'boss',
      card,
      retry: { backoffMs: 1 },
      execute: async (turn) => {
        const call = await turn.call('helper', 'help', options);
        const reply = await turn.join(call);
        if (turn.attempt === 1) throw new RetryableError('again');
        return turn.complete(`${call.taskId === reply.taskId} ${reply.text.length}`);
      },
    });
    const helper = agent('helper', async (turn) => {
      runs.push(turn.task.id);
      if (callPatienceMs === 50) await new Promise((resolve) => setTimeout(resolve, 300));
      return turn.complete(answer);
    });
    const store = await stage([boss, helper], callPatienceMs, { idempotencyMs: 1 });
    expect(await answers(store, 'boss', ['go'])).toEqual([`true ${answer.length}`]);
    expect(new Set(runs).size).toBe(1);
  });
});

test('a call to a task that has asked for an authorization before gets its own answer, however often its turn resumes', async () => {
  const boss = agent('boss', async (turn) => {
    const { taskId } = await turn.call('bank', 'first');
    const [{ state, text }] = await Promise.all([turn.call('bank', 'second', { taskId }), turn.sleep(1_100)]);
    return turn.complete(`${state} ${text}`);
  });
  const bank = agent('bank', async (turn) => {
    if (turn.text === 'first') return turn.requireAuth('Please sign in, then send a message.');
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    return turn.complete('done');
  });
  const store = await stage([boss, bank], 50);
  expect(await answers(store, 'boss', ['go'])).toEqual(['TASK_STATE_COMPLETED done']);
});
