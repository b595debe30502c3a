import { randomUUID } from 'node:crypto';
import {
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTasksRequest,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
  TaskState,
} from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import { A2AError } from '@a2a-js/sdk/errors';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

// On a busy machine processes start slowly.
// The official client, unmodified: it knows only the agent card.

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ redisUrl: inject('redisUrl'), agents: ['echo', 'pizza'] });
});

afterAll(() => stack.stop());

const cardPath = '.well-known/agent-card.json';

/** The SDK wraps the error of a stream over JSON-RPC: its class is that of the cause. */
async function errorOf(refused: Promise<unknown>): Promise<unknown> {
  const error: unknown = await refused.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof Error && error.cause instanceof A2AError ? error.cause : error;
}

const bindings = ['JSONRPC', 'HTTP+JSON', 'GRPC'] as const;

function clientFor(binding: (typeof bindings)[number], agent: string): Promise<Client> {
  const transports = [new JsonRpcTransportFactory(), new RestTransportFactory(), new GrpcTransportFactory()];
  const options = { transports, preferredTransports: [binding] };
  const factory = new ClientFactory(ClientFactoryOptions.createFrom(ClientFactoryOptions.default, options));
  return factory.createFromUrl(`${stack.urls[0]}/agents/${agent}/${cardPath}`, '');
}

function request(
  text: string,
  { task, ...configuration }: { task?: Task; returnImmediately?: boolean } = {},
): SendMessageRequest {
  const ids = task && { taskId: task.id, contextId: task.contextId };
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...ids };
  return SendMessageRequest.fromJSON({ message, configuration });
}

/** The task of a result, which must not be a plain message. */
async function taskIn(result: ReturnType<Client['sendMessage']>): Promise<Task> {
  const answer = await result;
  if (!('status' in answer)) throw new Error('the answer is a message');
  return answer;
}

/** Events as JSON. */
const onTheWire = (events: readonly StreamResponse[]): unknown[] => events.map((event) => StreamResponse.toJSON(event));

describe.each(bindings)('@a2a-js/sdk over %s', (binding) => {
  let client: Client;

  beforeAll(async () => {
    client = await clientFor(binding, 'echo');
  });

  it('finds the binding and the capabilities in the card', async () => {
    expect(client.transport.protocolName).toBe(binding);
    expect(client.protocolVersion).toMatch(/^1\.0/);
    const card = await client.getAgentCard();
    expect(card).toMatchObject({ name: 'Echo', capabilities: { streaming: true, pushNotifications: true } });
  });

  it('finds the agent at the root, too', async () => {
    const root = await new ClientFactory().createFromUrl(stack.urls[0] ?? '');
    expect((await root.getAgentCard()).name).toBe('Echo');
    expect((await taskIn(root.sendMessage(request('hello')))).status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  });

  it('sends a message and gets the completed task', async () => {
    const task = await taskIn(client.sendMessage(request('hello')));
    expect(Task.toJSON(task)).toMatchObject({
      status: { state: 'TASK_STATE_COMPLETED', message: { role: 'ROLE_AGENT', parts: [{ text: 'hello' }] } },
      history: [{ role: 'ROLE_USER', parts: [{ text: 'hello' }] }, { role: 'ROLE_AGENT' }],
    });
  });

  it('sends without waiting, and polls to the end', async () => {
    const { id, status } = await taskIn(client.sendMessage(request('slow 50', { returnImmediately: true })));
    expect(status?.state).toBe(TaskState.TASK_STATE_SUBMITTED);
    const isCompleted = async (): Promise<boolean> =>
      (await client.getTask(GetTaskRequest.fromJSON({ id }))).status?.state === TaskState.TASK_STATE_COMPLETED;
    await until(isCompleted, { what: 'the task is completed' });
  });

  it('reads as much history as it requests', async () => {
    const { id } = await taskIn(client.sendMessage(request('hello')));
    const lengths = [undefined, 0, 1].map(async (historyLength) => {
      const { history } = await client.getTask(GetTaskRequest.fromJSON({ id, historyLength }));
      return history.length;
    });
    expect(await Promise.all(lengths)).toEqual([2, 0, 1]);
  });

  it('holds a conversation over two turns', async () => {
    const pizza = await clientFor(binding, 'pizza');
    const task = await taskIn(pizza.sendMessage(request('I want a pizza')));
    expect(task.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    const next = await taskIn(pizza.sendMessage(request('Do you have pineapple?', { task })));
    expect([next.id, next.status?.state, next.history.length]).toEqual([task.id, TaskState.TASK_STATE_COMPLETED, 4]);
  });

  it('gets a plain message from an agent that creates no task', async () => {
    const answer = await client.sendMessage(request('message'));
    expect(answer).toMatchObject({ messageId: expect.any(String), role: 2 });
  });

  it('streams a task from its submission to its end, chunk by chunk', async () => {
    const events = onTheWire(await Array.fromAsync(client.sendMessageStream(request('stream 20'))));
    const [first, ...others] = events;
    expect(first).toMatchObject({ task: { status: { state: 'TASK_STATE_SUBMITTED' } } });
    const chunks = others.filter((event) => JSON.stringify(event).includes('chunk '));
    expect(chunks).toMatchObject(
      Array.from({ length: 20 }, (_, index) => ({
        artifactUpdate: { artifact: { parts: [{ text: `chunk ${index + 1}\n` }] } },
      })),
    );
    expect(others.at(-1)).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } });
  });

  it('resubscribes to a running task', async () => {
    const { id } = await taskIn(client.sendMessage(request('slow 1000', { returnImmediately: true })));
    const events = onTheWire(await Array.fromAsync(client.resubscribeTask(SubscribeToTaskRequest.fromJSON({ id }))));
    expect(events[0]).toMatchObject({ task: { id } });
    expect(events.at(-1)).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } });
  });

  it('lists the tasks of a context, page by page', async () => {
    const task = await taskIn(client.sendMessage(request('hello')));
    const { contextId } = task;
    for (const text of ['again', 'and again']) {
      const more = request(text);
      if (more.message) more.message.contextId = contextId;
      await client.sendMessage(more);
    }
    const query = { contextId, pageSize: 2 };
    const first = await client.listTasks(ListTasksRequest.fromJSON(query));
    expect([first.totalSize, first.tasks.length]).toEqual([3, 2]);
    const rest = await client.listTasks(ListTasksRequest.fromJSON({ ...query, pageToken: first.nextPageToken }));
    expect([rest.totalSize, rest.tasks.map(({ id }) => id), rest.nextPageToken]).toEqual([3, [task.id], '']);
  });

  it('lists by state', async () => {
    const { id, contextId } = await taskIn(client.sendMessage(request('ask')));
    const ids = (status: string): Promise<string[]> =>
      client
        .listTasks(ListTasksRequest.fromJSON({ contextId, status }))
        .then(({ tasks }) => tasks.map((task) => task.id));
    expect(await ids('TASK_STATE_INPUT_REQUIRED')).toEqual([id]);
    expect(await ids('TASK_STATE_COMPLETED')).toEqual([]);
  });

  it('cancels', async () => {
    const { id } = await taskIn(client.sendMessage(request('slow 60000', { returnImmediately: true })));
    const canceled = await client.cancelTask(CancelTaskRequest.fromJSON({ id }));
    expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
  });

  it('creates, reads, lists and deletes a push notification config', async () => {
    const { id: taskId } = await taskIn(client.sendMessage(request('slow 60000', { returnImmediately: true })));
    const hook = { taskId, id: 'hook', url: 'https://example.com/hook' };
    const made = await client.createTaskPushNotificationConfig(TaskPushNotificationConfig.fromJSON(hook));
    expect(made).toMatchObject(hook);
    const place = GetTaskPushNotificationConfigRequest.fromJSON(hook);
    expect(await client.getTaskPushNotificationConfig(place)).toMatchObject(hook);
    const all = ListTaskPushNotificationConfigsRequest.fromJSON({ taskId });
    expect((await client.listTaskPushNotificationConfig(all)).configs).toMatchObject([hook]);
    await client.deleteTaskPushNotificationConfig(DeleteTaskPushNotificationConfigRequest.fromJSON(hook));
    expect((await client.listTaskPushNotificationConfig(all)).configs).toEqual([]);
    await client.cancelTask(CancelTaskRequest.fromJSON({ id: taskId }));
  });

  it.each([
    ['TaskNotFound', () => client.getTask(GetTaskRequest.fromJSON({ id: 'nothing' }))],
    ['TaskNotFound', () => client.cancelTask(CancelTaskRequest.fromJSON({ id: 'nothing' }))],
    ['TaskNotFound', () => Array.fromAsync(client.resubscribeTask(SubscribeToTaskRequest.fromJSON({ id: 'nothing' })))],
    ['RequestMalformed', () => client.sendMessage(SendMessageRequest.fromJSON({ message: { messageId: 'no-parts' } }))],
  ])('gets %s', async (name, refused) => {
    expect(await errorOf(refused())).toMatchObject({ name: expect.stringContaining(name) });
  });

  it.each([
    ['TaskNotCancelable', (task: Task) => client.cancelTask(CancelTaskRequest.fromJSON({ id: task.id }))],
    ['UnsupportedOperation', (task: Task) => client.sendMessage(request('more', { task }))],
    ['UnsupportedOperation', (task: Task) => Array.fromAsync(client.sendMessageStream(request('more', { task })))],
    [
      'UnsupportedOperation',
      (task: Task) => Array.fromAsync(client.resubscribeTask(SubscribeToTaskRequest.fromJSON({ id: task.id }))),
    ],
  ])('gets %s for a completed task', async (name, refused) => {
    const task = await taskIn(client.sendMessage(request('hello')));
    expect(await errorOf(refused(task))).toMatchObject({ name: expect.stringContaining(name) });
  });
});
