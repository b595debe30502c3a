import { randomUUID } from 'node:crypto';
import type { Message, MessageSendParams, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from 'a2a-js-sdk-v0_3';
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from 'a2a-js-sdk-v0_3/client';
import { GrpcTransportFactory } from 'a2a-js-sdk-v0_3/client/grpc';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

// The official client of version 0.3, unmodified: it does not know 1.0, and reads the card at the root.

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ redisUrl: inject('redisUrl'), agents: ['echo'] });
});

afterAll(() => stack.stop());

const bindings = ['JSONRPC', 'HTTP+JSON', 'GRPC'] as const;

function clientFor(binding: (typeof bindings)[number]): Promise<Client> {
  const transports = [new JsonRpcTransportFactory(), new RestTransportFactory(), new GrpcTransportFactory()];
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, { preferredTransports: [binding] });
  return new ClientFactory({ ...options, transports }).createFromUrl(stack.urls[0] ?? '');
}

function request(text: string, configuration?: MessageSendParams['configuration'], task?: Task): MessageSendParams {
  const ids = task && { taskId: task.id, contextId: task.contextId };
  const parts: Message['parts'] = [{ kind: 'text', text }];
  const message: Message = { kind: 'message', messageId: randomUUID(), role: 'user', parts, ...ids };
  return { message, ...(configuration && { configuration }) };
}

type Event = Message | Task | TaskStatusUpdateEvent | TaskArtifactUpdateEvent;

/** The task of a result, which must not be a plain message. */
async function taskIn(result: Promise<Message | Task>): Promise<Task> {
  const answer = await result;
  if (answer.kind !== 'task') throw new Error('the answer is a message');
  return answer;
}

const isFinal = (event: Event | undefined): boolean | undefined =>
  event?.kind === 'status-update' ? event.final : undefined;

describe.each(bindings)('@a2a-js/sdk 0.3 over %s', (binding) => {
  let client: Client;

  beforeAll(async () => {
    client = await clientFor(binding);
  });

  it('finds the agent by its card', async () => {
    expect(await client.getAgentCard()).toMatchObject({ name: 'Echo', protocolVersion: '0.3.0' });
  });

  it('sends a message and gets the completed task', async () => {
    const task = await taskIn(client.sendMessage(request('hello')));
    expect(task.status).toMatchObject({
      state: 'completed',
      message: { kind: 'message', role: 'agent', parts: [{ kind: 'text', text: 'hello' }] },
    });
    expect(task.history?.map(({ role }) => role)).toEqual(['user', 'agent']);
  });

  it('sends without waiting, and polls to the end', async () => {
    const { id, status } = await taskIn(client.sendMessage(request('slow 50', { blocking: false })));
    expect(status.state).toBe('submitted');
    const isCompleted = async (): Promise<boolean> => (await client.getTask({ id })).status.state === 'completed';
    await until(isCompleted, { what: 'the task is completed' });
  });

  it('reads as much history as it requests', async () => {
    const { id } = await taskIn(client.sendMessage(request('hello')));
    expect((await client.getTask({ id })).history).toHaveLength(2);
    expect((await client.getTask({ id, historyLength: 1 })).history).toHaveLength(1);
  });

  it('continues a task that waits for input', async () => {
    const asking = await taskIn(client.sendMessage(request('ask')));
    expect(asking.status.state).toBe('input-required');
    const answered = await taskIn(client.sendMessage(request('blue', undefined, asking)));
    expect([answered.id, answered.status.state, answered.history?.length]).toEqual([asking.id, 'completed', 4]);
  });

  it('gets a plain message from an agent that creates no task', async () => {
    const answer = await client.sendMessage(request('message'));
    expect(answer).toMatchObject({ kind: 'message', role: 'agent', parts: [{ kind: 'text' }] });
  });

  it('streams a task from its submission to its end, chunk by chunk', async () => {
    const events: Event[] = await Array.fromAsync(client.sendMessageStream(request('stream 20')));
    expect(events[0]).toMatchObject({ kind: 'task', status: { state: 'submitted' } });
    const texts = events.flatMap((event) => (event.kind === 'artifact-update' ? event.artifact.parts : []));
    expect(texts.filter((part) => part.kind === 'text' && part.text !== '')).toHaveLength(20);
    expect(events.at(-1)).toMatchObject({ kind: 'status-update', status: { state: 'completed' }, final: true });
    expect(events.slice(0, -1).some(isFinal)).toBe(false);
  });

  it('resubscribes to a running task', async () => {
    const { id } = await taskIn(client.sendMessage(request('slow 1000', { blocking: false })));
    const events: Event[] = await Array.fromAsync(client.resubscribeTask({ id }));
    expect(events[0]).toMatchObject({ kind: 'task', id });
    expect(events.at(-1)).toMatchObject({ kind: 'status-update', status: { state: 'completed' }, final: true });
  });

  it('cancels', async () => {
    const { id } = await taskIn(client.sendMessage(request('slow 60000', { blocking: false })));
    expect((await client.cancelTask({ id })).status.state).toBe('canceled');
  });

  it('creates, reads, lists and deletes a push notification config', async () => {
    const { id } = await taskIn(client.sendMessage(request('slow 60000', { blocking: false })));
    const hook = { id: 'hook', url: 'https://example.com/hook' };
    const made = await client.setTaskPushNotificationConfig({ taskId: id, pushNotificationConfig: hook });
    expect(made).toMatchObject({ taskId: id, pushNotificationConfig: hook });
    const place = { id, pushNotificationConfigId: hook.id };
    expect(await client.getTaskPushNotificationConfig(place)).toMatchObject({ pushNotificationConfig: hook });
    expect(await client.listTaskPushNotificationConfig({ id })).toMatchObject([{ pushNotificationConfig: hook }]);
    await client.deleteTaskPushNotificationConfig(place);
    expect(await client.listTaskPushNotificationConfig({ id })).toEqual([]);
    await client.cancelTask({ id });
  });

  it.each([
    ['TaskNotFoundError', () => client.getTask({ id: 'nothing' })],
    ['TaskNotFoundError', () => client.cancelTask({ id: 'nothing' })],
  ])('gets %s', async (name, refused) => {
    await expect(refused()).rejects.toMatchObject({ name });
  });

  it('gets TaskNotFound from a stream', async () => {
    const refused = Array.fromAsync(client.resubscribeTask({ id: 'nothing' }));
    await expect(refused).rejects.toThrow(/not exist|not found/i);
  });

  it('gets errors when it cancels, continues or subscribes to a completed task', async () => {
    const task = await taskIn(client.sendMessage(request('hello')));
    const { id } = task;
    await expect(client.cancelTask({ id })).rejects.toMatchObject({ name: 'TaskNotCancelableError' });
    await expect(client.sendMessage(request('more', undefined, task))).rejects.toThrow(/has ended|not supported/);
    await expect(Array.fromAsync(client.resubscribeTask({ id }))).rejects.toThrow(/has ended|not supported/);
  });
});

describe('version 0.3 at a gateway that serves 1.0, too', () => {
  it('marks the last event of every stream over JSON-RPC, also a question to the client', async () => {
    const client = await clientFor('JSONRPC');
    const events: Event[] = await Array.fromAsync(client.sendMessageStream(request('ask')));
    expect(events.at(-1)).toMatchObject({ status: { state: 'input-required' }, final: true });
  });
});
