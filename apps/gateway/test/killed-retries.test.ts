import { randomUUID } from 'node:crypto';
import { rerunUri, type Task } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { get, getTask } from '../../../tests/support/rest.ts';
import { type Stack, startStack } from '../../../tests/support/stack.ts';
import { until } from '../../../tests/support/until.ts';
import type { Binding, Invocation } from './support/bindings/outcome.ts';
import { overGrpc } from './support/bindings/over-grpc.ts';
import { overJsonRpc, overRest } from './support/bindings/over-http.ts';
import { submit, userMessage } from './support/client.ts';
import { grpcAddressOf } from './support/grpc-address.ts';

// Sends each change with an Idempotency-Key over each binding, and kills the gateway before it answers, and a worker:
// repeated at the other gateway, each change is made once.

// On a busy machine processes start slowly.
const EACH = 12;

const bindings: Readonly<Record<string, (url: string) => Promise<Binding>>> = {
  'HTTP+JSON': async (url) => overRest(url),
  'JSON-RPC': async (url) => overJsonRpc(url),
  gRPC: async (url) => overGrpc(await grpcAddressOf(url)),
};

interface Change {
  readonly task: Task;
  readonly invocation: Invocation;
}

const send = (message: object): Invocation => ({
  operation: 'SendMessage',
  params: { message, configuration: { returnImmediately: true } },
});

const config = { url: 'http://127.0.0.1:2/hook' };
const configsOf = async (task: Task): Promise<number> =>
  (await get<{ configs: unknown[] }>(`${url()}/tasks/${task.id}/pushNotificationConfigs`)).body.configs.length;
const tasksIn = async ({ contextId }: Task): Promise<number> =>
  (await get<{ totalSize: number }>(`${url()}/tasks?contextId=${contextId}`)).body.totalSize;
const answersIn = ({ history = [] }: Task): number => history.filter(({ role }) => role === 'ROLE_USER').length;

/** The requests that change a task which waits for input, and the expected value after exactly one change. */
const changes: Readonly<
  Record<
    string,
    { readonly of: (task: Task) => Invocation; readonly made: (task: Task) => Promise<unknown>; readonly once: unknown }
  >
> = {
  'a message that creates a task': {
    of: ({ contextId = '' }) => send(userMessage('ask', { contextId })),
    made: tasksIn,
    once: 2,
  },
  'a message for a task': {
    of: ({ id }) => send(userMessage('ask', { taskId: id })),
    made: async ({ id }) => answersIn(await getTask(url(), id)),
    once: 2,
  },
  'a rerun': {
    of: ({ id }) => ({
      ...send(userMessage('ask', { metadata: { [rerunUri]: { taskId: id } } })),
      headers: { 'a2a-extensions': rerunUri },
    }),
    made: tasksIn,
    once: 2,
  },
  'a cancel': {
    of: ({ id }) => ({ operation: 'CancelTask', params: { id } }),
    made: async ({ id }) => (await getTask(url(), id)).status.state,
    once: 'TASK_STATE_CANCELED',
  },
  'a push config': {
    of: ({ id }) => ({ operation: 'CreateTaskPushNotificationConfig', params: { taskId: id, ...config } }),
    made: configsOf,
    once: 1,
  },
  'the deletion of a push config': {
    of: ({ id }) => ({ operation: 'DeleteTaskPushNotificationConfig', params: { taskId: id, id: 'mine' } }),
    made: configsOf,
    once: 0,
  },
};

/** Many libraries repeat a message with a new id. */
function withNewMessageId({ params, ...invocation }: Invocation): Invocation {
  const { message } = params;
  return { ...invocation, params: message ? { ...params, message: { ...message, messageId: randomUUID() } } : params };
}

let stack: Stack;
const url = (): string => stack.urls[0] ?? '';

async function waitingTask(what: string): Promise<Task> {
  const task = await submit(url(), userMessage('ask'));
  const read = async (): Promise<Task> => getTask(url(), task.id);
  await until(async () => (await read()).status.state === 'TASK_STATE_INPUT_REQUIRED', { what: 'it asks' });
  if (what === 'a rerun') await overRest(url()).invoke({ operation: 'CancelTask', params: { id: task.id } });
  if (what === 'the deletion of a push config') {
    const params = { taskId: task.id, id: 'mine', ...config };
    await overRest(url()).invoke({ operation: 'CreateTaskPushNotificationConfig', params });
  }
  return task;
}

beforeAll(async () => {
  const env = { PUSH_ALLOW_HTTP: 'on', PUSH_ALLOW_HOSTS: '127.0.0.0/8', SHARDS: '3', LOG_LEVEL: 'info' };
  stack = await startStack({ redisUrl: inject('redisUrl'), agents: ['echo'], gateways: 2, workers: 2, env });
});

afterAll(() => stack.stop());

describe.each(Object.keys(bindings))('Over %s, after the gateway was killed,', (name) => {
  const made = new Map<string, readonly Change[]>();
  let answered = 0;

  beforeAll(async () => {
    const to = bindings[name] ?? (async (at: string) => overRest(at));
    for (const [what, { of }] of Object.entries(changes)) {
      const tasks = await Promise.all(Array.from({ length: EACH }, () => waitingTask(what)));
      const keyed = (invocation: Invocation): Invocation => ({
        ...invocation,
        headers: { ...invocation.headers, 'idempotency-key': randomUUID() },
      });
      made.set(
        what,
        tasks.map((task) => ({ task, invocation: keyed(of(task)) })),
      );
    }
    const doomed = await stack.addGateway();
    await stack.untilReady();
    const binding = await to(doomed.url);
    const begin = (part: number) =>
      [...made.values()].flatMap((each) =>
        each.filter((_, i) => i % 2 === part).map(({ invocation }) => binding.invoke(invocation)),
      );
    const first = begin(0);
    await Promise.any(first);
    // On a busy machine all of the first may have been answered by now; these have not.
    const calls = [...first, ...begin(1)];
    doomed.kill('SIGKILL');
    stack.workers[0]?.kill('SIGKILL');
    for (const call of await Promise.allSettled(calls))
      if (call.status === 'fulfilled' && 'result' in call.value) answered++;
    await stack.addWorker();
  });

  it('only some requests were answered', () => {
    expect(answered).toBeGreaterThan(0);
    expect(answered).toBeLessThan(EACH * Object.keys(changes).length);
  });

  it.each(Object.entries(changes))('repeating %s changes the task once', async (what, { made: read, once }) => {
    const binding = await bindings[name]?.(url());
    for (const { task, invocation } of made.get(what) ?? []) {
      for (let tries = 0; tries < 2; tries++)
        expect(await binding?.invoke(withNewMessageId(invocation))).toHaveProperty('result');
      expect(await read(task)).toBe(once);
    }
  });
});
