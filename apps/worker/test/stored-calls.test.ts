import { randomUUID } from 'node:crypto';
import type { Message } from '@switchyard/protocol';
import { type OpenTurn, Store } from '@switchyard/store';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { failOverTo } from '../../../tests/support/fail-over.ts';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { begun } from '../../../tests/support/store/drive.ts';
import { TurnFailures } from '../src/turn/failures/turn-failures.ts';
import { type CallDependencies, StoredCalls } from '../src/turn/port/stored-calls.ts';

const prefix = uniquePrefix();
const redis = new Redis(inject('redisUrl'));
const store = new Store({ redisUrl: inject('redisUrl'), prefix }, () => undefined);
await store.start();
afterAll(async () => {
  redis.disconnect();
  await store.stop();
});

const principal = { tenant: 'acme', subject: 'alice', scopes: [] };
const kitchen = { principal, agent: 'kitchen' };
const card = { name: 'Kitchen', description: 'For tests.', version: '1', skills: [], capabilities: {} };
const userMessage = (ids: Partial<Message> = {}): Message => ({
  messageId: randomUUID(),
  role: 'ROLE_USER',
  parts: [{ text: 'cook' }],
  ...ids,
});

async function beginTurn(agent: string, message: Message): Promise<OpenTurn> {
  const acceptance = await store.tasks.accept({ principal, agent }, { message });
  if (acceptance.verdict !== 'accepted') throw new Error(acceptance.verdict);
  return begun(store, acceptance.taskId);
}

beforeAll(async () => {
  const lists = { supportedInterfaces: [], defaultInputModes: [], defaultOutputModes: [] };
  const announced = { id: 'kitchen', card: { ...card, ...lists }, repliesWithMessage: false, concurrency: 1 };
  await store.registry.announce([announced], 'worker');
});

const noFiles: CallDependencies['files'] = {
  keep: () => undefined,
  hasLargeRaw: () => false,
  move: async () => [],
};

function callsOf(host: OpenTurn, files = noFiles, consumeRemoteAgents = async () => undefined): StoredCalls {
  const dependencies = {
    store,
    files,
    consumeRemoteAgents,
    yieldSlot: <T>(wait: () => Promise<T>): Promise<T> => wait(),
  };
  return new StoredCalls(dependencies, host, new TurnFailures(host, 'worker', { secrets: [], folder: '' }));
}

test('a call learns the outcome of its task, although a fail-over lost the event it was waiting after', async () => {
  const host = await beginTurn('desk', userMessage());
  const { contextId = '' } = host.start.task;
  const question = await beginTurn('kitchen', userMessage({ contextId }));
  await question.publish({ kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', settles: true });
  const { taskId } = question.start;
  const task = `${prefix}{s0}:t:${taskId}`;
  const failOver = await failOverTo(redis, task, `${task}:e`, `${task}:i`);

  const calls = callsOf(host);
  const placed = await calls.place({
    agent: 'kitchen',
    message: userMessage({ contextId, taskId }),
    isDetached: false,
  });
  if ('refused' in placed) throw new Error(placed.refused);
  await failOver();
  await store.tasks.cancel(kitchen, taskId);

  expect(await calls.outcome(placed, AbortSignal.timeout(5_000))).toMatchObject({
    task: { id: taskId, status: { state: 'TASK_STATE_CANCELED' } },
  });
});

test('a call is known as the same one when its turn runs again, and its raw part can no longer be moved', async () => {
  const host = await beginTurn('desk', userMessage());
  const { contextId = '' } = host.start.task;
  const message = userMessage({ contextId, parts: [{ raw: 'AAAA', mediaType: 'image/png' }] });
  const call = { agent: 'kitchen', message, isDetached: false };
  const placeWith = (move: CallDependencies['files']['move']) =>
    callsOf(host, { ...noFiles, hasLargeRaw: () => true, move }).place(call);
  const placed = await placeWith(async () => [{ url: 'https://agents.example/files/r1', mediaType: 'image/png' }]);
  if ('refused' in placed) throw new Error(placed.refused);
  expect(await placeWith(async (parts) => [...parts])).toMatchObject({ taskId: placed.taskId });
});

test('the worker that goes on with a turn takes the turns of a remote agent, as that which made the call may be gone', async () => {
  const consumed: string[] = [];
  const calls = callsOf(await beginTurn('desk', userMessage()), noFiles, async () => void consumed.push('opened'));
  const placed = { agent: 'https://agents.example/card.json', taskId: randomUUID() };
  expect(await calls.outcome(placed, AbortSignal.timeout(5_000))).toBe('missing');
  expect(consumed).toEqual(['opened']);
});
