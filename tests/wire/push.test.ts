import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  ListTaskPushNotificationConfigsRequest,
  SendMessageRequest,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import type { StreamResponse } from '@switchyard/protocol';
import { createNotificationVerifier, type NotificationVerdict } from '@switchyard/signatures';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const token = 'token-of-this-client';
let stack: Stack;
let server: Server;
let hook: string;
const received: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];

beforeAll(async () => {
  server = createServer(async (req, res) => {
    received.push({
      path: req.url ?? '',
      headers: req.headers,
      body: (await req.setEncoding('utf8').toArray()).join(''),
    });
    res.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  hook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  stack = await startStack({
    redisUrl: inject('redisUrl'),
    agents: ['echo', 'oracle'],
    env: {
      PUSH_ALLOW_HTTP: 'true',
      PUSH_ALLOW_HOSTS: '127.0.0.0/8',
      PUSH_SECRET: 'a secret of this test alone',
      PUSH_SIGNING_KEY: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    },
  });
});

afterAll(async () => {
  await stack?.stop();
  server.close();
});

const eventsOf = (taskId: string): StreamResponse[] =>
  received
    .filter(({ headers }) => String(headers['x-a2a-delivery-id']).startsWith(taskId))
    .map(({ body }) => JSON.parse(body));

const receivedAt = (path: string): StreamResponse[] =>
  received.filter((one) => one.path.endsWith(`/${path}`)).map(({ body }) => JSON.parse(body));

function answeredWithMessage(answer: Awaited<ReturnType<Client['sendMessage']>>): { readonly messageId: string } {
  if ('status' in answer) throw new Error('the answer is a task');
  return answer;
}

describe.each(['JSONRPC', 'HTTP+JSON', 'GRPC'])('a webhook registered by the published SDK over %s', (binding) => {
  let client: Client;

  beforeAll(async () => {
    const transports = [new JsonRpcTransportFactory(), new RestTransportFactory(), new GrpcTransportFactory()];
    const options = { transports, preferredTransports: [binding] };
    const factory = new ClientFactory(ClientFactoryOptions.createFrom(ClientFactoryOptions.default, options));
    client = await factory.createFromUrl(stack.urls[0] ?? '');
  });

  /** Sends with returnImmediately. @returns the task's id */
  async function send(text: string, taskPushNotificationConfig?: object): Promise<string> {
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }] };
    const configuration = { returnImmediately: true, taskPushNotificationConfig };
    const answer = await client.sendMessage(SendMessageRequest.fromJSON({ message, configuration }));
    if (!('status' in answer)) throw new Error('the answer is a message');
    return answer.id;
  }

  it('gets all events of the task, signed and in order', async () => {
    const taskId = await send('stream 3', { url: hook, token });
    await until(() => eventsOf(taskId).at(-1)?.statusUpdate?.status.state === 'TASK_STATE_COMPLETED', {
      what: 'the webhook gets the last event',
    });
    const [first, ...others] = eventsOf(taskId);
    expect(first?.task).toMatchObject({
      id: taskId,
      status: { state: 'TASK_STATE_SUBMITTED' },
      history: [{ parts: [{ text: 'stream 3' }] }],
    });
    expect(others.filter(({ task }) => task)).toEqual([]);
    expect(others.filter(({ artifactUpdate }) => artifactUpdate).length).toBeGreaterThan(2);

    const keys = new URL('/.well-known/jwks.json', stack.urls[0]);
    const verify = createNotificationVerifier({ keys, token, audience: new URL(hook).origin });
    const verdicts: NotificationVerdict[] = [];
    for (const each of received) verdicts.push(await verify(each));
    expect(verdicts.map(({ kind }) => kind)).toEqual(received.map(() => 'genuine'));
  });

  it('gets the plain message of its caller once, and no task', async () => {
    const mine = randomUUID();
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'message' }] };
    const configuration = { taskPushNotificationConfig: { url: `${hook}/${mine}`, token } };
    const ask = () => client.sendMessage(SendMessageRequest.fromJSON({ message, configuration }));
    const { messageId } = answeredWithMessage(await ask());
    await until(() => receivedAt(mine).length > 0, { what: 'the webhook gets the message' });
    expect(answeredWithMessage(await ask()).messageId).toBe(messageId);
    const [only] = receivedAt(mine);
    expect(only).toMatchObject({ message: { messageId, parts: [{ text: 'A message, and no task' }] } });
    expect(JSON.stringify(only)).not.toMatch(/taskId|statusUpdate/);
    expect(receivedAt(mine)).toHaveLength(1);
  });

  it('gets the first event of the stream: the message alone', async () => {
    const mine = randomUUID();
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'message' }] };
    const configuration = { taskPushNotificationConfig: { url: `${hook}/${mine}`, token } };
    const events: unknown[] = [];
    for await (const event of client.sendMessageStream(SendMessageRequest.fromJSON({ message, configuration })))
      events.push(event);
    expect(events).toHaveLength(1);
    await until(() => receivedAt(mine).length > 0, { what: 'the webhook gets the message' });
    expect(receivedAt(mine).map((event) => Object.keys(event))).toEqual([['message']]);
  });

  it('is created, read, listed and deleted; its secrets are not returned', async () => {
    const taskId = await send('ask');
    const authentication = { scheme: 'Bearer', credentials: 'c' };
    const config = TaskPushNotificationConfig.fromJSON({ id: 'mine', taskId, url: hook, token, authentication });
    const known = { ...config, token: '', authentication: { scheme: 'Bearer', credentials: '' } };
    expect(await client.createTaskPushNotificationConfig(config)).toEqual(known);
    const mine = GetTaskPushNotificationConfigRequest.fromJSON({ taskId, id: 'mine' });
    expect(await client.getTaskPushNotificationConfig(mine)).toEqual(known);
    const page = await client.listTaskPushNotificationConfig(
      ListTaskPushNotificationConfigsRequest.fromJSON({ taskId }),
    );
    expect(page).toEqual({ configs: [known], nextPageToken: '' });
    await client.deleteTaskPushNotificationConfig(
      DeleteTaskPushNotificationConfigRequest.fromJSON({ taskId, id: 'mine' }),
    );
    await expect(client.getTaskPushNotificationConfig(mine)).rejects.toThrow();
  });
});

describe('a webhook for an agent that declares repliesWithMessage', () => {
  it.each([true, false])('gets the message and no task, with returnImmediately %s', async (immediately) => {
    const mine = randomUUID();
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: '?' }] };
    const configuration = {
      returnImmediately: immediately,
      taskPushNotificationConfig: { url: `${hook}/${mine}`, token },
    };
    const answer = await fetch(`${stack.urls[0]}/agents/oracle/message:send`, {
      method: 'POST',
      body: JSON.stringify({ message, configuration }),
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    });
    const answered = await answer.json();
    expect(answered).toMatchObject({ message: { parts: [{ text: '42' }] } });
    await until(() => receivedAt(mine).length > 0, { what: 'the webhook gets the message' });
    expect(receivedAt(mine)).toEqual([answered]);
  });
});

describe('a webhook registered by an A2A 0.3 client', () => {
  it('gets the task in the form of 0.3', async () => {
    const message = {
      kind: 'message',
      messageId: randomUUID(),
      role: 'user',
      parts: [{ kind: 'text', text: 'stream 3' }],
    };
    const configuration = { blocking: false, pushNotificationConfig: { url: hook, token } };
    const request = { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message, configuration } };
    const init = { method: 'POST', body: JSON.stringify(request), headers: { 'content-type': 'application/json' } };
    const answer = await fetch(stack.urls[0] ?? '', init);
    const { result } = (await answer.json()) as { result: { id: string } };
    await until(() => eventsOf(result.id).some((task) => JSON.stringify(task).includes('"completed"')), {
      what: 'the webhook gets the last event',
    });
    expect(eventsOf(result.id).at(-1)).toMatchObject({ kind: 'task', id: result.id, status: { state: 'completed' } });
  });
});

describe('the secrets of a webhook', () => {
  it('are in no log', () => {
    const logs = [...stack.gateways, ...stack.workers].map((program) => program.output()).join('\n');
    expect(logs).not.toContain(token);
    expect(logs).not.toContain('stored in clear text');
  });
});
