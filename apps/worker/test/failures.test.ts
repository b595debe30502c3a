import { randomUUID } from 'node:crypto';
import { AgentError, defineAgent, noteModelCall, RetryableError, type Turn } from '@switchyard/agent';
import { modelError } from '@switchyard/agent/models';
import { Ops } from '@switchyard/operators';
import { isTerminal, type Task } from '@switchyard/protocol';
import { Store } from '@switchyard/store';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { until } from '../../../tests/support/until.ts';
import { Worker } from '../src/index.ts';

// Why attempts ended, as an operator reads it: of agents that fail in every way.

const secret = 'planted-in-the-environment';
const ways: Record<string, (turn: Turn) => unknown> = {
  throws: () => {
    throw new TypeError(`no dough, key ${secret}, at https://ada:pw@shop.example/orders?token=1`);
  },
  'throws a text': () => Promise.reject('only a text'),
  'throws nothing': () => Promise.reject(undefined),
  'throws a trap': () =>
    Promise.reject(
      Object.defineProperty(new Error('x'), 'message', {
        get: () => {
          throw new Error('trap');
        },
      }),
    ),
  rejects: () => {
    const inner = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    throw new Error('the order failed', { cause: new AggregateError([inner, new Error('no answer')], 'all shops') });
  },
  'says so': () => {
    throw new AgentError('Sold out.');
  },
  'may not use its model': () => {
    throw modelError(new Error('401 wrong key'), { kind: 'refused', status: 401 });
  },
  fails: (turn) => turn.fail('No more pizza.'),
  'says nothing': () => undefined,
  'never ends': (turn) => new Promise((_, reject) => turn.signal.addEventListener('abort', reject)),
  'tries again': (turn) => {
    if (turn.attempt > 1) return turn.complete('done');
    const cause = Object.assign(new Error('429 Too Many Requests'), { status: 429 });
    throw new RetryableError('The model is busy.', { retryAfterMs: 20, cause });
  },
  'fails in a step': async (turn) => {
    await turn
      .step('pay', () => {
        throw new Error('card refused');
      })
      .catch(() => undefined);
    await turn.step('pay', () => 'cash');
    return turn.complete('paid');
  },
  'retries a step': async (turn) => {
    const pay = async ({ attempt }: { attempt: number }) => {
      await turn.artifact({ name: 'Receipt' }).append('paid ');
      if (attempt < 3) throw Object.assign(new Error(`attempt ${attempt} refused`), { retryAfterMs: attempt });
    };
    await turn.step('pay', pay, { attempts: 3 });
    return turn.complete('paid');
  },
  'catches a refused call': async (turn) => {
    await turn.call(`nobody ${secret}`, 'hello').catch(() => undefined);
    return turn.complete('done without');
  },
  'catches a slow call': async (turn) => {
    await turn.call('slow', 'hello', { timeoutMs: 20 }).catch(() => undefined);
    return turn.fail('No answer today.');
  },
  'catches a slow join': async (turn) => {
    const placed = await turn.call('slow', 'hello', { wait: false });
    if (placed.kind === 'task') await turn.join(placed, { timeoutMs: 20 }).catch(() => undefined);
    return turn.complete('done without');
  },
  'calls without an answer': async (turn) => turn.complete((await turn.call('slow', 'hello', { timeoutMs: 20 })).text),
  'calls nobody': async (turn) => turn.complete((await turn.call('nobody', 'hello')).text),
  calls: async (turn) => turn.complete((await turn.call('odd', 'answers')).text),
  answers: (turn) => turn.complete('hello'),
  'asks a model': async (turn) => {
    noteModelCall({ model: 'small', durationMs: 40, error: new Error(`503, key ${secret}`) });
    if (turn.attempt === 1) throw new RetryableError('busy', { retryAfterMs: 1 });
    noteModelCall({ model: 'small', durationMs: 80.4, inputTokens: 12, outputTokens: -1, finishReason: 'stop' });
    return turn.complete('asked');
  },
  'throws too late': async (turn) => {
    await turn.complete('done');
    throw new Error('afterwards');
  },
};

const agent = defineAgent({
  id: 'odd',
  card: { name: 'Odd', description: 'Fails.', version: '1.0.0', skills: [] },
  turnTimeoutMs: 300,
  execute: (turn) => ways[turn.text]?.(turn) as never,
});
const slow = defineAgent({
  id: 'slow',
  card: { name: 'Slow', description: 'Never ends.', version: '1.0.0', skills: [] },
  execute: (turn) => new Promise((_, reject) => turn.signal.addEventListener('abort', reject)),
});
const orders = defineAgent({
  id: 'orders',
  card: { name: 'Orders', description: 'Takes data.', version: '1.0.0', skills: [] },
  input: z.object({ pizza: z.string() }),
  execute: (turn) => turn.complete('Done.'),
});
const scope = { principal: { tenant: 'acme', subject: 'alice', scopes: [] }, agent: 'odd' };

let store: Store;
let worker: Worker;
beforeAll(async () => {
  store = new Store({ redisUrl: inject('redisUrl'), prefix: uniquePrefix() }, () => undefined);
  await store.start();
  const explain = { secrets: [secret], folder: process.cwd() };
  worker = new Worker(
    { drainMs: 0, sweepEveryMs: 200, explain },
    { store, agents: [agent, slow, orders], emit: () => undefined },
  );
  await worker.start();
});
afterAll(async () => {
  await worker.stop();
  await store.stop();
});

async function ended(text: string, agent = 'odd') {
  const at = { ...scope, agent };
  const message = { messageId: randomUUID(), role: 'ROLE_USER' as const, parts: [{ text }] };
  const acceptance = await store.tasks.accept(at, { message, requestId: 'request-1' });
  if (acceptance.verdict !== 'accepted') throw new Error(acceptance.verdict);
  const { taskId } = acceptance;
  const task = await until(
    async () => {
      const read: Task = JSON.parse((await store.tasks.read(at, taskId))?.task?.toString() ?? 'null');
      return isTerminal(read.status.state) && read;
    },
    { what: `"${text}" has ended`, timeoutMs: 20_000 },
  );
  return { task, taskId };
}

/** The attempts and steps of a task that did not go well, once there are as many. */
function failuresOf(taskId: string, count = 1) {
  return until(
    async () => {
      const detail = await new Ops(store).tasks.detail(taskId, { hasTimeline: true });
      const entries = detail?.timeline?.entries ?? [];
      const failures = entries.flatMap((entry) => ('failure' in entry && entry.failure ? [entry.failure] : []));
      return failures.length >= count && failures;
    },
    { what: 'the failures are stored' },
  );
}

test('an agent that throws: what, where in its code, and whose attempt it was; nothing secret', async () => {
  const { task, taskId } = await ended('throws');
  const [failure] = await failuresOf(taskId);
  expect(failure).toMatchObject({
    kind: 'threw',
    message: 'TypeError: no dough, key [left out], at https://shop.example',
    place: {
      file: 'apps/worker/test/failures.test.ts',
      line: expect.any(Number),
      source: expect.stringContaining('throw new TypeError'),
    },
    worker: store.processId,
    requestId: 'request-1',
    attempt: 1,
    epoch: 1,
  });
  const frames = failure?.error?.frames ?? [];
  expect(frames[0]).toMatchObject({ of: 'author' });
  expect(new Set(frames.map(({ of }) => of))).toEqual(new Set(['author', 'switchyard', 'node']));
  expect(JSON.stringify(failure)).not.toContain(secret);
  expect(JSON.stringify(failure)).not.toContain('token=1');
  expect(JSON.stringify(task)).not.toContain('dough');
});

test('a cause, and the errors of an AggregateError, are kept with their codes', async () => {
  const [failure] = await failuresOf((await ended('rejects')).taskId);
  expect(failure?.error).toMatchObject({
    message: 'the order failed',
    cause: {
      type: 'AggregateError',
      message: 'all shops',
      errors: [{ message: 'connect ECONNREFUSED', code: 'ECONNREFUSED' }, { message: 'no answer' }],
    },
  });
});

test.each([
  ['throws a text', { kind: 'threw', message: 'string, not an Error: only a text' }],
  ['throws nothing', { kind: 'threw', message: 'undefined, not an Error: undefined' }],
  ['throws a trap', { kind: 'threw', message: 'The thrown value cannot be read.' }],
  ['says so', { kind: 'ended-by-agent', message: 'Sold out.' }],
  ['may not use its model', { kind: 'model-refused', message: 'The agent is not allowed to use its model.' }],
  ['fails', { kind: 'ended-by-agent', message: 'No more pizza.' }],
  ['says nothing', { kind: 'misuse', message: expect.stringContaining('returned without an outcome') }],
  ['never ends', { kind: 'timed-out', message: 'The agent did not finish within 0.3 s.' }],
])('an agent that %s', async (text, expected) => {
  const { task, taskId } = await ended(text);
  expect(task.status.state).toBe('TASK_STATE_FAILED');
  expect(await failuresOf(taskId)).toMatchObject([expected]);
  expect((await new Ops(store).tasks.record(taskId))?.reason).toMatchObject(expected);
});

test('a task that was refused from outside says what to change before it runs again', async () => {
  const { taskId } = await ended('may not use its model');
  const { diagnosis } = (await new Ops(store).tasks.detail(taskId)) ?? {};
  expect(diagnosis?.text).toContain('The task failed (model-refused): The agent is not allowed to use its model.');
  expect(diagnosis).toMatchObject({
    advice: expect.stringContaining('Change the key of the agent for its model (apiKey)'),
    actions: ['retry'],
  });
});

test('an input that the agent does not take is not refused by its code, and a rerun does not help', async () => {
  const { taskId } = await ended('no data', 'orders');
  const { diagnosis, reason } = (await new Ops(store).tasks.detail(taskId)) ?? {};
  expect(reason).toMatchObject({ kind: 'input-refused' });
  expect(diagnosis).toMatchObject({
    text: expect.stringMatching(/^The message was rejected: The message that begins this task /),
    advice: expect.stringContaining('Send a new message with the input'),
    actions: [],
  });
});

test('a call of an agent that does not exist says that its id is to be corrected', async () => {
  const { taskId } = await ended('calls nobody');
  expect((await new Ops(store).tasks.detail(taskId))?.diagnosis.advice).toBe(
    'Correct the id of the called agent, or start a worker that has this agent.',
  );
});

test('an agent that asks for a retry: what it asked for, and the status that made it ask', async () => {
  const { taskId } = await ended('tries again');
  expect(await failuresOf(taskId)).toMatchObject([
    {
      kind: 'retry-asked',
      message: 'The model is busy.',
      retryAfterMs: 20,
      error: { cause: { message: '429 Too Many Requests', status: 429 } },
    },
  ]);
  expect((await new Ops(store).tasks.record(taskId))?.reason).toBeUndefined();
});

test('a step that throws and then succeeds keeps its error, and the task has no reason', async () => {
  const { taskId } = await ended('fails in a step');
  expect(await failuresOf(taskId)).toMatchObject([{ of: 'step', name: 'pay', kind: 'threw', message: 'card refused' }]);
  expect((await new Ops(store).tasks.record(taskId))?.reason).toBeUndefined();
});

test('a step that is retried within its turn keeps the error of each attempt, and the timeline shows them all', async () => {
  const { task, taskId } = await ended('retries a step');
  expect(task.artifacts?.map(({ parts }) => parts)).toEqual([[{ text: 'paid ' }]]);
  const detail = await new Ops(store).tasks.detail(taskId, { hasTimeline: true });
  const rows = detail?.timeline?.entries.filter(({ kind }) => kind === 'step' || kind === 'attempt') ?? [];
  const failed = (attempt: number) => ({
    kind: 'step',
    name: 'pay',
    epoch: 1,
    failure: { message: `attempt ${attempt} refused`, retryAfterMs: attempt, attempt: 1 },
  });
  expect(rows).toMatchObject([{ kind: 'attempt' }, failed(1), failed(2), { kind: 'step', name: 'pay' }]);
  expect(rows.at(-1)).not.toHaveProperty('failure');
});

test('requests to models are rows of the timeline, also of attempts that failed; texts are redacted', async () => {
  const { taskId } = await ended('asks a model');
  const detail = await new Ops(store).tasks.detail(taskId, { hasTimeline: true });
  const rows = detail?.timeline?.entries.flatMap((entry) => (entry.kind === 'model' ? [entry] : [])) ?? [];
  const times = { at: expect.any(String), untilAt: expect.any(String) };
  expect(rows.sort((a, b) => a.epoch - b.epoch || (a.finishReason ? 1 : -1))).toEqual([
    { kind: 'model', ...times, epoch: 1, model: 'small', error: '503, key [left out]' },
    { kind: 'model', ...times, epoch: 2, model: 'small', error: '503, key [left out]' },
    { kind: 'model', ...times, epoch: 2, model: 'small', inputTokens: 12, finishReason: 'stop' },
  ]);
});

test('an error after the outcome is kept with its attempt', async () => {
  const { task, taskId } = await ended('throws too late');
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  expect(await failuresOf(taskId)).toMatchObject([{ kind: 'threw', message: 'afterwards' }]);
});

async function calls(taskId: string) {
  const detail = await new Ops(store).tasks.detail(taskId, { hasTimeline: true });
  return detail?.timeline?.entries.flatMap((entry) => (entry.kind === 'call' ? [entry] : [])) ?? [];
}

test('a call that was refused, and that the agent caught, is in the timeline with its reason, redacted', async () => {
  const { task, taskId } = await ended('catches a refused call');
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  const [call] = await calls(taskId);
  expect(call).toMatchObject({
    agent: 'nobody [left out]',
    failure: { of: 'call', kind: 'call-failed', message: expect.stringContaining('no worker has ever announced') },
  });
  expect(call).not.toHaveProperty('taskId');
  expect(JSON.stringify(call)).not.toContain(secret);
});

test.each(['catches a slow call', 'catches a slow join'])(
  'an agent that %s: the called task is named',
  async (text) => {
    const { taskId } = await ended(text);
    const found = await calls(taskId);
    expect(found).toHaveLength(1);
    const [call] = found;
    expect(call).toMatchObject({ agent: 'slow', taskId: expect.any(String) });
    expect(call?.failure).toMatchObject({ kind: 'call-failed', calledTask: call?.taskId, attempt: 1 });
    expect(call?.failure?.message).toContain('took too long');
  },
);

test('an agent that fails because of a call: the diagnosis names the call and its task', async () => {
  const caught = await new Ops(store).tasks.detail((await ended('catches a slow call')).taskId);
  const calledTask = expect.any(String);
  expect(caught?.diagnosis).toMatchObject({
    failure: { kind: 'ended-by-agent', message: 'No answer today.' },
    before: [{ of: 'call', name: 'slow', calledTask }],
    see: [{ kind: 'task' }, { kind: 'worker' }],
  });
  const thrown = await new Ops(store).tasks.detail((await ended('calls without an answer')).taskId);
  expect(thrown?.diagnosis).toMatchObject({
    failure: { kind: 'call-failed', calledTask },
    see: [{ kind: 'task' }, {}],
  });
  expect(thrown?.diagnosis).not.toHaveProperty('before');
});

test('a call that succeeds leaves no failure', async () => {
  const { taskId } = await ended('calls');
  const [call] = await calls(taskId);
  expect(call).toMatchObject({ agent: 'odd', isDetached: false });
  expect(call).not.toHaveProperty('failure');
});
