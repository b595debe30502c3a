import { randomUUID } from 'node:crypto';
import type { AgentCard, TaskPushNotificationConfig } from '@switchyard/protocol';
import { Webhooks } from '@switchyard/push';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, call, type ErrorBody, get, post, type Sent, submit, userMessage } from './support/client.ts';
import { completed } from './support/events.ts';
import { openStage, type Stage } from './support/stage.ts';

const keyOf = (subject: string): Record<string, string> => ({ 'x-api-key': `key-of-${subject}-0123456789` });
const [alice, bob] = ['alice', 'bob'].map(keyOf);
const url = 'https://client.example.com/hook';
type Config = Partial<TaskPushNotificationConfig>;

let stage: Stage;

beforeAll(async () => {
  const keys = ['alice', 'bob'].map((subject) => ({
    key: keyOf(subject)['x-api-key'] ?? '',
    subject,
    tenant: 'default',
    scopes: [],
  }));
  stage = await openStage({
    gateway: { auth: { keys } },
    store: { maxWebhooks: 4, pushSecrets: ['a secret of this test'] },
  });
});

afterAll(() => stage[Symbol.asyncDispose]());

const newTask = async (): Promise<string> => {
  const body = { message: userMessage('hello'), configuration: { returnImmediately: true } };
  return (await post<Sent>(`${stage.url}/message:send`, body, alice)).body.task.id;
};

/** One of the bindings, as its callers see it. */
interface Binding {
  create(config: Config & { taskId: string }, headers?: Record<string, string>): Promise<Outcome>;
  get(taskId: string, id: string, headers?: Record<string, string>): Promise<Outcome>;
  list(
    taskId: string,
    page?: { pageSize?: number; pageToken?: string },
    headers?: Record<string, string>,
  ): Promise<Outcome>;
  delete(taskId: string, id: string, headers?: Record<string, string>): Promise<Outcome>;
}

interface Outcome {
  readonly status: number;
  readonly result: unknown;
  readonly reason: string | undefined;
  readonly fields: readonly string[];
}

function outcome(status: number, result: unknown, error: ErrorBody['error'] | undefined): Outcome {
  const details = error?.details ?? error?.data ?? [];
  const fields = details.flatMap(({ fieldViolations }) => fieldViolations?.map(({ field }) => field) ?? []);
  return { status, result, reason: details[0]?.reason, fields };
}

const rest: Binding = {
  create: async ({ taskId, ...config }, headers = alice) => of(await post(path(taskId), config, headers)),
  get: async (taskId, id, headers = alice) => of(await get(`${path(taskId)}/${id}`, headers)),
  list: async (taskId, page = {}, headers = alice) => of(await get(`${path(taskId)}?${query(page)}`, headers)),
  async delete(taskId, id, headers = alice) {
    const answer = await fetch(`${path(taskId)}/${id}`, { method: 'DELETE', headers: headers ?? {} });
    return of({ status: answer.status, headers: answer.headers, body: await answer.json() });
  },
};

const query = (page: object): URLSearchParams =>
  new URLSearchParams(Object.entries(page).map(([name, value]): [string, string] => [name, `${value}`]));
const path = (taskId: string): string => `${stage.url}/tasks/${taskId}/pushNotificationConfigs`;
const of = ({ status, body }: Answer<unknown>): Outcome => {
  const { error } = body as Partial<ErrorBody>;
  return outcome(status, error ? undefined : body, error);
};

const rpc = async (method: string, params: object, headers = alice): Promise<Outcome> => {
  const { status, body } = await call<Partial<ErrorBody> & { result?: unknown }>(stage.url, method, params, headers);
  return outcome(status, body.result, body.error);
};
const jsonRpc: Binding = {
  create: (config, headers) => rpc('CreateTaskPushNotificationConfig', config, headers),
  get: (taskId, id, headers) => rpc('GetTaskPushNotificationConfig', { taskId, id }, headers),
  list: (taskId, page, headers) => rpc('ListTaskPushNotificationConfigs', { taskId, ...page }, headers),
  delete: (taskId, id, headers) => rpc('DeleteTaskPushNotificationConfig', { taskId, id }, headers),
};

describe.each([
  ['REST', rest],
  ['JSON-RPC', jsonRpc],
])('the push notification configs of a task, over %s', (_, binding) => {
  it('are created, read, listed and deleted, each with status 200', async () => {
    const taskId = await newTask();
    const config = { taskId, id: 'a', url, token: 't', authentication: { scheme: 'Bearer', credentials: 'c' } };
    // Credentials are write-only.
    const shown = { taskId, id: 'a', url, authentication: { scheme: 'Bearer' } };
    expect(await binding.create(config)).toMatchObject({ status: 200, result: shown });
    expect(await binding.get(taskId, 'a')).toMatchObject({ status: 200, result: shown });
    expect(await binding.list(taskId)).toMatchObject({ status: 200, result: { configs: [shown], nextPageToken: '' } });
    for (let time = 0; time < 2; time++)
      expect(await binding.delete(taskId, 'a')).toMatchObject({ status: 200, result: {} });
    expect(await binding.get(taskId, 'a')).toMatchObject({ reason: 'TASK_NOT_FOUND' });
    expect(await binding.list(taskId)).toMatchObject({ result: { configs: [], nextPageToken: '' } });
  });

  it('get an id if they have none', async () => {
    const taskId = await newTask();
    const { result } = await binding.create({ taskId, url });
    expect(result).toEqual({ id: expect.any(String), taskId, url });
    expect((await binding.get(taskId, (result as TaskPushNotificationConfig).id ?? '')).result).toEqual(result);
  });

  it('can be created for a task that has ended', async () => {
    const taskId = await newTask();
    await (await stage.beginTurn(taskId)).publish(completed());
    expect(await binding.create({ taskId, id: 'a', url })).toMatchObject({ status: 200 });
    expect(await binding.get(taskId, 'a')).toMatchObject({ status: 200 });
  });

  it('are listed page by page', async () => {
    const taskId = await newTask();
    for (const id of ['a', 'b', 'c']) await binding.create({ taskId, id, url });
    const first = (await binding.list(taskId, { pageSize: 2 })).result as { nextPageToken: string };
    expect(first).toMatchObject({ configs: [{ id: 'a' }, { id: 'b' }], nextPageToken: expect.stringMatching(/./) });
    const second = await binding.list(taskId, { pageSize: 2, pageToken: first.nextPageToken });
    expect(second.result).toEqual({ configs: [{ id: 'c', taskId, url }], nextPageToken: '' });
    expect(await binding.list(taskId, { pageToken: 'nonsense' })).toMatchObject({ fields: ['pageToken'] });
  });

  it('are limited per task', async () => {
    const taskId = await newTask();
    for (const id of ['a', 'b', 'c', 'd']) await binding.create({ taskId, id, url });
    expect(await binding.create({ taskId, id: 'e', url })).toMatchObject({ fields: ['id'] });
    expect(await binding.create({ taskId, id: 'd', url: `${url}/2` })).toMatchObject({ status: 200 });
  });

  it('get 404 for another caller', async () => {
    const taskId = await newTask();
    await binding.create({ taskId, id: 'a', url, token: 'hush' });
    const answers = await Promise.all([
      binding.create({ taskId, url }, bob),
      binding.get(taskId, 'a', bob),
      binding.list(taskId, {}, bob),
      binding.delete(taskId, 'a', bob),
    ]);
    expect(answers.map(({ reason }) => reason)).toEqual(Array(4).fill('TASK_NOT_FOUND'));
    expect(JSON.stringify(answers)).not.toContain('hush');
    expect(await binding.get(taskId, 'a')).toMatchObject({ status: 200 });
  });

  it('get 404 for an unknown task', async () => {
    const nowhere = randomUUID();
    const answers = await Promise.all([
      binding.create({ taskId: nowhere, url }),
      binding.get(nowhere, 'a'),
      binding.list(nowhere),
      binding.delete(nowhere, 'a'),
    ]);
    expect(answers.map(({ reason }) => reason)).toEqual(Array(4).fill('TASK_NOT_FOUND'));
  });

  it.each<[string, Config, string]>([
    ['no URL', {}, 'url'],
    ['an invalid URL', { url: 'nowhere' }, 'url'],
    ['a URL without TLS', { url: 'http://client.example.com/' }, 'url'],
    ['a password in the URL', { url: 'https://me:secret@client.example.com/' }, 'url'],
    ['a URL in a private network', { url: 'https://10.0.0.1/' }, 'url'],
    ['a URL on this machine', { url: 'https://localhost/' }, 'url'],
    ['a URL with line breaks', { url: `${url}/\r\nX-Injected: 1` }, 'url'],
    ['a URL with a tab', { url: 'https://client.exa\tmple.com/' }, 'url'],
    ['a URL with a space at its end', { url: `${url}/ ` }, 'url'],
    ['a URL with a line separator', { url: `${url}/\u2028` }, 'url'],
    ['a URL with a backslash', { url: 'https://client.example.com\\@other.example.com/' }, 'url'],
    ['the port of a mail server', { url: 'https://client.example.com:25/' }, 'url'],
    ['the port of IRC', { url: 'https://client.example.com:6667/' }, 'url'],
    ['a token that no header can hold', { url, token: 'a\r\nb: c' }, 'token'],
    ['an invalid scheme', { url, authentication: { scheme: 'Bearer x', credentials: 'c' } }, 'authentication.scheme'],
    [
      'credentials with a line break',
      { url, authentication: { scheme: 'Basic', credentials: 'a\nb' } },
      'authentication.credentials',
    ],
  ])('are refused if they have %s', async (_, config, field) => {
    const taskId = await newTask();
    expect(await binding.create({ taskId, ...config })).toMatchObject({ fields: [field] });
    expect(await binding.list(taskId)).toMatchObject({ result: { configs: [] } });
  });
});

describe('a push notification config that comes with a message', () => {
  const send = async (config: Config, given: object = {}, to = stage.url): Promise<Outcome> => {
    const configuration = { taskPushNotificationConfig: config, returnImmediately: true };
    return of(await post(`${to}/message:send`, { message: userMessage('hello', given), configuration }, alice));
  };
  const taskOf = ({ result }: Outcome): string => (result as Sent).task.id;

  it('exists as soon as the task does', async () => {
    const taskId = taskOf(await send({ id: 'a', url, token: 't' }));
    expect((await rest.get(taskId, 'a')).result).toEqual({ id: 'a', taskId, url });
  });

  it('can come with a later message, and replaces one with the same id', async () => {
    const taskId = taskOf(await send({ id: 'a', url }));
    await send({ id: 'a', url: `${url}/2`, taskId }, { taskId });
    expect((await rest.list(taskId)).result).toMatchObject({ configs: [{ id: 'a', url: `${url}/2` }] });
  });

  it('is refused with its message if its URL is forbidden', async () => {
    const prefix = 'configuration.taskPushNotificationConfig';
    const contextId = randomUUID();
    expect(await send({ url: 'http://10.0.0.1/' }, { contextId })).toMatchObject({
      status: 400,
      fields: [`${prefix}.url`],
    });
    expect(await send({ url, taskId: 'another' }, { contextId })).toMatchObject({
      status: 400,
      fields: [`${prefix}.taskId`],
    });
    const { body } = await get(`${stage.url}/tasks?contextId=${contextId}`, alice);
    expect(body).toMatchObject({ tasks: [] });
  });

  it('keeps the trace context of its request', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const configuration = { taskPushNotificationConfig: { id: 'a', url }, returnImmediately: true };
    const tracestate = 'vendor=a';
    const headers = { ...alice, traceparent, tracestate };
    const body = { message: userMessage('hello'), configuration };
    const taskId = taskOf(of(await post(`${stage.url}/message:send`, body, headers)));
    const other = taskOf(await send({ id: 'a', url }, { metadata: { traceparent, tracestate } }));
    const scope = { principal: { tenant: 'default', subject: 'alice', scopes: [] }, agent: 'echo' };
    for (const id of [taskId, other])
      expect(await new Webhooks(stage.store.inside).get(scope, id, 'a')).toMatchObject({
        traceParent: traceparent,
        traceState: tracestate,
      });
    expect((await rest.get(taskId, 'a')).result).toEqual({ id: 'a', taskId, url });
  });
});

describe('push notifications', () => {
  const cardAt = async (base: string): Promise<AgentCard> =>
    (await get<AgentCard>(`${base}/.well-known/agent-card.json`, { 'a2a-version': '1.0' })).body;

  it('work if the card declares them', async () => {
    expect((await cardAt(stage.url)).capabilities.pushNotifications).toBe(true);
    expect((await cardAt(`${stage.url}/agents/mute`)).capabilities.pushNotifications).toBe(false);
    expect((await cardAt(await stage.another({ push: undefined }))).capabilities.pushNotifications).toBe(false);
  });

  it('are refused if they are off', async () => {
    const off = await openStage({ gateway: { push: undefined } });
    const taskId = (await submit(off.url)).id;
    const config = { taskPushNotificationConfig: { url } };
    const answers = [
      await post(`${off.url}/tasks/${taskId}/pushNotificationConfigs`, { url }),
      await get(`${off.url}/tasks/${taskId}/pushNotificationConfigs`),
      await get(`${off.url}/tasks/${taskId}/pushNotificationConfigs/a`),
      await post(`${off.url}/message:send`, { message: userMessage('hello'), configuration: config }),
      await post(`${off.url}/message:stream`, { message: userMessage('hello'), configuration: config }),
    ].map(of);
    await off[Symbol.asyncDispose]();
    expect(answers.map(({ status, reason }) => [status, reason])).toEqual(
      Array(5).fill([400, 'PUSH_NOTIFICATION_NOT_SUPPORTED']),
    );
  });
});
