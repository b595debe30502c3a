import { Ops } from '@switchyard/operators';
import { scheduleUri, type Task, timeToLiveUri } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { card } from './support/agents.ts';
import type { Binding } from './support/bindings/outcome.ts';
import { type GrpcBinding, overGrpc } from './support/bindings/over-grpc.ts';
import { overJsonRpc, overRest } from './support/bindings/over-http.ts';
import { call, get, userMessage } from './support/client.ts';
import { grpcAddressOf } from './support/grpc-address.ts';
import { openStage, type Stage } from './support/stage.ts';

const headers = { 'a2a-extensions': timeToLiveUri };
const DEFAULT_MS = 3_600_000;

let stage: Stage;
let grpc: GrpcBinding;
let bindings: readonly Binding[];

beforeAll(async () => {
  stage = await openStage({ gateway: { grpc: { port: 0, publicAddress: 'auto' } } });
  const agent = { card, repliesWithMessage: false, concurrency: 1 };
  await stage.store.registry.announce(
    [
      { id: 'desk', ...agent },
      { id: 'hasty', timeToLiveMs: DEFAULT_MS, ...agent },
    ],
    'someone',
  );
  for (const id of ['desk', 'hasty'])
    await until(async () => (await get(`${stage.url}/agents/${id}/tasks`)).status === 200, { what: `${id} is known` });
  grpc = overGrpc(await grpcAddressOf(stage.url), 'desk');
  bindings = [overJsonRpc(`${stage.url}/agents/desk`), overRest(`${stage.url}/agents/desk`), grpc];
});

afterAll(async () => {
  grpc[Symbol.dispose]();
  await stage[Symbol.asyncDispose]();
});

interface Asked {
  readonly of?: 'message' | 'request';
  readonly returnImmediately?: boolean;
  readonly message?: object;
}

const asking = (hint: unknown, { of = 'message', returnImmediately = true, message = {} }: Asked = {}) => {
  const metadata = { [timeToLiveUri]: hint };
  return {
    message: userMessage('hello', { ...(of === 'message' && { metadata }), ...message }),
    configuration: { returnImmediately },
    ...(of === 'request' && { metadata }),
  };
};

const taskIn = (outcome: unknown): Task => (outcome as { result: { task: Task } }).result.task;
const beginByOf = async (taskId: string) => (await new Ops(stage.store).tasks.detail(taskId))?.beginBy;

/** Expects that the message of a task that was accepted since `since` has this time to live. */
async function expectTimeToLive(taskId: string, ttlMs: number, since: number): Promise<void> {
  const beginBy = Date.parse((await beginByOf(taskId)) ?? '');
  expect(beginBy).toBeGreaterThanOrEqual(since + ttlMs - 1_000);
  expect(beginBy).toBeLessThanOrEqual(Date.now() + ttlMs + 1_000);
}

describe('the time to live of a message', () => {
  it('is in its own metadata or in that of the request, over every binding', async () => {
    for (const { invoke } of bindings)
      for (const of of ['message', 'request'] as const) {
        const since = Date.now();
        const params = asking({ ttlMs: 600_000 }, { of });
        await expectTimeToLive(taskIn(await invoke({ operation: 'SendMessage', params, headers })).id, 600_000, since);
      }
  });

  it('is the same for a client of version 0.3', async () => {
    const since = Date.now();
    const message = { ...asking({ ttlMs: 600_000 }).message, kind: 'message', role: 'user' };
    const params = {
      message: { ...message, parts: [{ kind: 'text', text: '?' }] },
      configuration: { blocking: false },
    };
    const answer = await call<{ result: Task }>(`${stage.url}/agents/desk`, 'message/send', params, {
      'x-a2a-extensions': timeToLiveUri,
    });
    await expectTimeToLive(answer.body.result.id, 600_000, since);
  });

  it('ends without a worker: the caller who waits gets the rejected task, over every binding', async () => {
    const params = asking({ ttlMs: 1 }, { returnImmediately: false });
    const outcomes = bindings.map(({ invoke }) => {
      const message = { ...params.message, messageId: crypto.randomUUID() };
      return invoke({ operation: 'SendMessage', params: { ...params, message }, headers });
    });
    for (const task of (await Promise.all(outcomes)).map(taskIn)) {
      expect(task.status.state).toBe('TASK_STATE_REJECTED');
      expect(task.status.message?.parts[0]?.text).toContain('No worker began to work on this message');
      expect(await stage.store.queue.stateOf('desk', task.id, 1)).toBe('unknown');
    }
  });

  it('ends for an answer without a worker: the task asks again', async () => {
    const { invoke } = overRest(`${stage.url}/agents/desk`);
    const { id } = taskIn(await invoke({ operation: 'SendMessage', params: asking({ ttlMs: 600_000 }), headers }));
    const job = stage.store.turns.jobOf({ agent: 'desk', taskId: id, job: 1, started: 1, token: 'w:1' });
    const turn = await job.begin({ onCancel: () => undefined, onFenced: () => undefined });
    if (typeof turn === 'string') throw new Error(turn);
    await turn.publish({ kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', settles: true });
    const params = asking({ ttlMs: 1 }, { returnImmediately: false, message: { taskId: id } });
    const task = taskIn(await invoke({ operation: 'SendMessage', params, headers }));
    expect(task.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(task.status.message?.parts[0]?.text).toContain('it was rejected');
  });

  it('must be a number of ms up to seven days, or the error names the field', async () => {
    const wrong = [
      { ttlMs: 0 },
      { ttlMs: 604_800_001 },
      { ttlMs: 1.5 },
      { ttlMs: 'soon' },
      {},
      30,
      { ttlMs: 1, more: 1 },
    ];
    for (const hint of wrong)
      for (const { invoke } of bindings) {
        const outcome = await invoke({ operation: 'SendMessage', params: asking(hint), headers });
        expect(outcome).toMatchObject({
          error: {
            reason: 'INVALID_PARAMS',
            violations: [expect.stringContaining(`message.metadata["${timeToLiveUri}"]`)],
          },
        });
      }
  });

  it('is ignored if the request does not activate the extension', async () => {
    for (const { invoke } of bindings) {
      const { id } = taskIn(await invoke({ operation: 'SendMessage', params: asking({ ttlMs: 1 }) }));
      expect(await beginByOf(id)).toBeUndefined();
    }
  });

  it('is that of the agent if no client names one, and is on its card', async () => {
    const since = Date.now();
    const { invoke } = overRest(`${stage.url}/agents/hasty`);
    const { id } = taskIn(await invoke({ operation: 'SendMessage', params: asking(undefined) }));
    await expectTimeToLive(id, DEFAULT_MS, since);
    const diagnosis = await new Ops(stage.store).tasks.diagnosis(id);
    expect(diagnosis?.text).toContain(`It is rejected if no worker has begun it by ${await beginByOf(id)}.`);
    const { body } = await get(`${stage.url}/agents/hasty/.well-known/agent-card.json`);
    expect(body).toMatchObject({
      capabilities: {
        extensions: expect.arrayContaining([expect.objectContaining({ params: { defaultMs: DEFAULT_MS } })]),
      },
    });
  });

  it('of a scheduled message begins at its time', async () => {
    const both = { 'a2a-extensions': `${scheduleUri},${timeToLiveUri}` };
    const params = asking({ ttlMs: 600_000 });
    const metadata = { ...params.message.metadata, [scheduleUri]: { at: '2000-01-01T00:00:00Z' } };
    const { invoke } = overRest(`${stage.url}/agents/desk`);
    const scheduled = { ...params, message: { ...params.message, metadata } };
    const { id } = taskIn(await invoke({ operation: 'SendMessage', params: scheduled, headers: both }));
    expect(await beginByOf(id)).toBeUndefined();
    const since = Date.now();
    await stage.store.schedules.begin();
    await expectTimeToLive(id, 600_000, since);
  });
});
