import { randomUUID } from 'node:crypto';
import { defineAgent } from '@switchyard/agent';
import { Ops } from '@switchyard/operators';
import { Pace } from '@switchyard/pace';
import { isTerminal, type Task } from '@switchyard/protocol';
import { Store } from '@switchyard/store';
import { afterAll, expect, inject, test } from 'vitest';
import { uniquePrefix } from '../../../../tests/support/prefix.ts';
import { until } from '../../../../tests/support/until.ts';
import { Worker } from '../../src/index.ts';
import { ModelLimits } from '../../src/pace/model-limits.ts';
import { StoredPace } from '../../src/pace/stored-pace.ts';
import type { WorkerEvent } from '../../src/telemetry/events.ts';

// The pace of a service, kept by two workers together.

await using parts = new AsyncDisposableStack();
const kept = parts.move();
afterAll(() => kept.disposeAsync());

const REFUSED_FOR_MS = 700;
/** When turns began their requests. */
const asked: number[] = [];

const redisUrl = inject('redisUrl');
const prefix = uniquePrefix();
const events: WorkerEvent[] = [];

/** A worker with a Redis connection of its own. */
async function startWorker(id: string) {
  const store = kept.adopt(new Store({ redisUrl, prefix }, () => undefined), (opened) => opened.stop());
  await store.start();
  const agents = [
    defineAgent({
      id,
      card: { name: id, description: 'Asks.', version: '1.0.0', skills: [] },
      execute: async (turn) => {
        for (;;) {
          const room = await turn.limit(turn.text);
          asked.push(performance.now());
          if (asked.length > 1) return turn.complete();
          await room.slowDown(REFUSED_FOR_MS);
        }
      },
    }),
    defineAgent({
      id: `${id}-refused`,
      card: { name: id, description: 'Is refused again and again.', version: '1.0.0', skills: [] },
      execute: async (turn) => {
        for (;;) await (await turn.limit(turn.text)).slowDown(REFUSED_FOR_MS);
      },
    }),
    defineAgent({
      id: `${id}-hurried`,
      card: { name: id, description: 'Has no time.', version: '1.0.0', skills: [] },
      turnTimeoutMs: 2_000,
      retry: { attempts: 1 },
      execute: async (turn) => {
        await turn.limit(turn.text, 10);
        await turn.limit(turn.text, 10);
        return turn.complete();
      },
    }),
    defineAgent({
      id: `${id}-patient`,
      card: { name: id, description: 'Waits.', version: '1.0.0', skills: [] },
      execute: async (turn) => {
        for (;;) await turn.limit(turn.text, 10);
      },
    }),
  ];
  const limits = new ModelLimits({ 'slow-*': { tokensPerMinute: 60 } });
  const worker = new Worker(
    { drainMs: 0, sweepEveryMs: 200, limits },
    { store, agents, emit: (event) => events.push(event) },
  );
  kept.defer(() => worker.stop());
  await worker.start();
  return store;
}

const store = await startWorker('one');
await startWorker('two');
const alice = { tenant: 'acme', subject: 'alice', scopes: [] };

async function sent(agent: string, text: string): Promise<string> {
  const message = { messageId: randomUUID(), role: 'ROLE_USER' as const, parts: [{ text }] };
  const acceptance = await store.tasks.accept({ principal: alice, agent }, { message });
  if (acceptance.verdict !== 'accepted') throw new Error(acceptance.verdict);
  return acceptance.taskId;
}

function ended(agent: string, taskId: string): Promise<Task> {
  return until(
    async () => {
      const scope = { principal: alice, agent };
      const task: Task = JSON.parse((await store.tasks.read(scope, taskId))?.task?.toString() ?? 'null');
      return isTerminal(task.status.state) && task;
    },
    { what: `the task of "${agent}" has ended`, timeoutMs: 20_000 },
  );
}

test('a refusal lets every worker wait for as long as it says, and spends no attempt', async () => {
  const first = await sent('one', 'busy');
  await until(() => asked.length > 0, { what: 'the service was asked' });
  const refusedAt = performance.now();
  const request = { name: 'busy', tenant: 'acme', tokens: 0, limits: {} };
  const waits = async () => (await new Pace(store.inside).ask({ ...request, id: randomUUID() })).verdict === 'wait';
  await until(waits, { what: 'everybody waits' });
  const second = await sent('two', 'busy');
  const tasks = await Promise.all([ended('one', first), ended('two', second)]);
  expect(tasks.map(({ status }) => status.state)).toEqual(['TASK_STATE_COMPLETED', 'TASK_STATE_COMPLETED']);
  expect(asked).toHaveLength(3);
  expect((asked[1] ?? 0) - refusedAt).toBeGreaterThan(REFUSED_FOR_MS / 2);
  expect(events.filter(({ kind }) => kind === 'turn-given-back')).toEqual([]);
});

test('a turn without enough time gives up at once, and its client does not see the name of the limit', async () => {
  const task = await ended('one-hurried', await sent('one-hurried', 'slow-secret'));
  const { state, message } = task.status;
  expect(state).toBe('TASK_STATE_FAILED');
  expect(JSON.stringify(message)).toContain('Too many requests wait for a service.');
  expect(JSON.stringify(message)).not.toContain('slow-secret');
});

test('a turn that waits says so to operators, and a cancel ends its wait', async () => {
  const taskId = await sent('one-patient', 'slow-printer');
  const line = await until(() => events.find((event) => event.kind === 'agent-log' && event.taskId === taskId), {
    what: 'the log says it',
  });
  expect(line).toMatchObject({ line: { text: expect.stringMatching(/^Waits for room of the limit "slow-printer"/) } });
  const waits = async () =>
    (await new Ops(store).tasks.diagnosis(taskId))?.text.includes('waits for room of the limit "slow-printer"');
  await until(waits, { what: 'operators see it' });
  await store.tasks.cancel({ principal: alice, agent: 'one-patient' }, taskId);
  expect((await ended('one-patient', taskId)).status.state).toBe('TASK_STATE_CANCELED');
});

test('a turn that waits again and again, each time for a moment, says so to operators, and once in the log', async () => {
  const taskId = await sent('one-refused', 'moody');
  const waits = async () =>
    (await new Ops(store).tasks.diagnosis(taskId))?.text.includes('waits for room of the limit "moody"');
  await until(waits, { what: 'operators see it' });
  await until(waits, { what: 'operators see it later, too', everyMs: REFUSED_FOR_MS * 2 });
  expect(events.filter((event) => event.kind === 'agent-log' && event.taskId === taskId)).toHaveLength(1);
  await store.tasks.cancel({ principal: alice, agent: 'one-refused' }, taskId);
  expect((await ended('one-refused', taskId)).status.state).toBe('TASK_STATE_CANCELED');
});

test('while Redis does not answer, requests go ahead, and the log says it once', async () => {
  const seen: WorkerEvent[] = [];
  const away = () => Promise.reject(new Error('Connection is closed.'));
  const pace = new StoredPace({ ask: away, correct: away }, new ModelLimits(), (event) => seen.push(event)).of('acme');
  expect(await pace.ask('id', { name: 'm' })).toMatchObject({ verdict: 'go', inMs: 0 });
  await pace.correct('id', { name: 'm' }, { tokens: 1 });
  expect(seen).toMatchObject([{ kind: 'error', where: 'pace' }]);
});

test('a name has its own limits, or those of its longest beginning', () => {
  const limits = new ModelLimits({
    'a/*': { requestsPerMinute: 1 },
    'a/b*': { requestsPerMinute: 2 },
    'a/bc': { requestsPerMinute: 3 },
  });
  expect(['a/x', 'a/bd', 'a/bc', 'b'].map((name) => limits.of(name).requestsPerMinute)).toEqual([1, 2, 3, undefined]);
  expect(() => new ModelLimits({ a: { tokensPerMinute: 0 } })).toThrow(/tokensPerMinute/);
});
