import { randomUUID } from 'node:crypto';
import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Credentials } from '@switchyard/access';
import { Ops } from '@switchyard/operators';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { resultOf } from '../src/mcp/tool-result.ts';
import { defaultRateSettings } from '../src/settings/limit-settings.ts';
import { agents, card } from './support/agents.ts';
import { type ErrorBody, post } from './support/client.ts';
import { openStage, type Stage } from './support/stage.ts';

const keyOf = (subject: string) => `key-of-${subject}-0123456789`;
const ada = { key: keyOf('ada'), tenant: 'acme', subject: 'ada', scopes: [] };
const reader = { key: keyOf('reader'), tenant: 'acme', subject: 'reader', scopes: ['read'] };

let stage: Stage;
beforeAll(async () => {
  const rates = { ...defaultRateSettings, ofKind: { ...defaultRateSettings.ofKind, send: { count: 2, seconds: 60 } } };
  stage = await openStage({
    gateway: { mcp: true, auth: { keys: [ada, reader] }, rates, blockingWaitMs: 20, maxBodyBytes: 10_000 },
  });
});
afterAll(() => stage[Symbol.asyncDispose]());

async function connected(key: string, url = stage.url): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const requestInit = { headers: { 'x-api-key': key } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  return client;
}

const textOf = ({ content }: CallToolResult): string =>
  content.flatMap((block) => (block.type === 'text' ? block.text : [])).join('\n');
const echo = (client: Client) => client.callTool({ name: 'echo', arguments: { message: 'hello' } });
const request = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

test('/mcp answers 404 unless MCP is on', async () => {
  expect((await post(`${await stage.another()}/mcp`, request)).status).toBe(404);
});

describe('a request to /mcp', () => {
  const ask = (body: unknown, headers: Record<string, string> = {}, verb = 'POST') =>
    fetch(`${stage.url}/mcp`, {
      method: verb,
      headers: { 'x-api-key': ada.key, 'content-type': 'application/json', ...headers },
      ...(verb === 'POST' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  const errorOf = async (response: Response): Promise<string> => {
    const { error }: ErrorBody = JSON.parse(await response.text());
    return error.message;
  };

  test('must be a single JSON message, no batch', async () => {
    expect(await errorOf(await ask([request, request]))).toMatch('batches are not supported');
    expect(await errorOf(await ask('{'))).toMatch(/^Invalid JSON payload: body is not JSON: /);
    expect(await errorOf(await ask(request, { 'content-type': 'text/plain' }))).toBe(
      'The body must be JSON: Content-Type must be application/a2a+json or application/json',
    );
  });

  test('is refused if it is too large, from a foreign origin, or not a POST', async () => {
    expect((await ask({ ...request, params: { text: 'x'.repeat(10_000) } })).status).toBe(413);
    expect((await ask(request, { origin: 'https://evil.example.com' })).status).toBe(403);
    expect([(await ask({}, {}, 'GET')).status, (await ask({}, {}, 'DELETE')).status]).toEqual([405, 405]);
  });

  test('needs a credential', async () => {
    const refused = await ask(request, { 'x-api-key': 'nobody-knows-this-key' });
    expect([refused.status, refused.headers.has('www-authenticate')]).toEqual([401, true]);
  });
});

test('a caller needs the scope of a tool, and has a rate limit', async () => {
  const clients = [await connected(reader.key), await connected(ada.key)] as const;
  const forbidden = await echo(clients[0]);
  expect([forbidden.isError, textOf(forbidden)]).toEqual([true, expect.stringContaining('send')]);
  const results = [await echo(clients[1]), await echo(clients[1]), await echo(clients[1])];
  expect(results.map(({ isError }) => isError ?? false)).toEqual([false, false, true]);
  expect(textOf(results[2] ?? { content: [] })).toMatch(/Try again in \d+ s\./);
  await Promise.all(clients.map((client) => client.close()));
});

test('the tool of an agent with a schema of its input has that schema, and names what is wrong with the data', async () => {
  const url = await stage.another({ mcp: true, blockingWaitMs: 20 });
  const client = await connected(ada.key, url);
  const { tools } = await client.listTools();
  const baker = tools.find(({ name }) => name === 'baker');
  expect(baker?.inputSchema.properties).toMatchObject({ data: { required: ['size', 'to'] }, message: {} });
  const call = (data: object) => client.callTool({ name: 'baker', arguments: { message: 'Please', data } });
  const refused = await call({ size: 'huge' });
  expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining('data.size')]);
  expect((await call({ size: 'small', to: { street: 'Via Roma' } })).structuredContent).toMatchObject({
    agent: 'baker',
  });
  await client.close();
});

test('the priority and the time to live of a message are in `_meta`, and what is wrong there is named', async () => {
  const eve = { key: keyOf('eve'), tenant: 'acme', subject: 'eve', scopes: ['send', 'priority'] };
  const frank = { key: keyOf('frank'), tenant: 'acme', subject: 'frank', scopes: ['send'] };
  const url = await stage.another({ mcp: true, auth: { keys: [eve, frank] }, blockingWaitMs: 20 });
  const [allowed, others] = [await connected(eve.key, url), await connected(frank.key, url)];
  const call = (client: Client, meta: object) =>
    client.callTool({ name: 'echo', arguments: { message: 'hello' }, _meta: { ...meta } });
  const detailOf = (answer: CallToolResult) =>
    new Ops(stage.store).tasks.detail(Object(answer.structuredContent).taskId);

  const asked = await call(allowed, { 'switchyard/priority': 'high', 'switchyard/ttlMs': 600_000, 'acme/trace': 1 });
  expect(await detailOf(asked)).toMatchObject({ priority: 'high', beginBy: expect.any(String) });
  expect(await detailOf(await call(others, { 'switchyard/priority': 'low' }))).toMatchObject({ priority: 'low' });
  expect(textOf(await call(others, { 'switchyard/priority': 'high' }))).toContain('without the scope priority');
  for (const [meta, field] of [
    [{ 'switchyard/priority': 'urgent' }, '_meta["switchyard/priority"]'],
    [{ 'switchyard/ttlMs': 0 }, '_meta["switchyard/ttlMs"]'],
    [{ 'switchyard/ttlMs': '30 s' }, '_meta["switchyard/ttlMs"]'],
    [{ 'switchyard/messageId': 7 }, '_meta["switchyard/messageId"]'],
    [{ 'switchyard/prio': 'high' }, '_meta["switchyard/prio"] is not a known field'],
  ] as const) {
    const answer = await call(allowed, meta);
    expect([answer.isError, textOf(answer)]).toEqual([true, expect.stringContaining(field)]);
  }
  const late = await stage.another({ mcp: true, auth: { keys: [eve] } });
  const patient = await connected(eve.key, late);
  const rejected = await call(patient, { 'switchyard/ttlMs': 1 });
  expect([rejected.isError, textOf(rejected)]).toEqual([true, expect.stringContaining('No worker began')]);
  await Promise.all([allowed, others, patient].map((client) => client.close()));
});

test('a canceled task is no error of cancel_task, and a wrong argument is named', async () => {
  const url = await stage.another({ mcp: true, blockingWaitMs: 20, cancelWaitMs: 20 });
  const client = await connected(ada.key, url);
  const made = await echo(client);
  const { taskId } = Object(made.structuredContent);
  const canceled = await client.callTool({ name: 'cancel_task', arguments: { agent: 'echo', taskId } });
  expect(canceled.structuredContent).toMatchObject({ taskId, state: 'TASK_STATE_CANCELED' });
  expect(canceled.isError ?? false).toBe(false);
  const read = await client.callTool({ name: 'get_task', arguments: { agent: 'echo', taskId } });
  expect(read.isError).toBe(true);
  const wrong = await client.callTool({ name: 'echo', arguments: { mesage: 'hello', taskId: null } });
  expect(textOf(wrong)).toContain('message is required');
  expect(textOf(wrong)).toContain('mesage is not a known field');
  await client.close();
});

test("another's task is as unknown as one that was never there, and stays as it was", async () => {
  const [carol, ...thieves] = [
    { key: keyOf('carol'), tenant: 'acme', subject: 'carol', scopes: [] },
    { key: keyOf('dave'), tenant: 'acme', subject: 'dave', scopes: [] },
    { key: keyOf('another-carol'), tenant: 'another', subject: 'carol', scopes: [] },
  ] as const;
  const auth = { keys: [carol, ...thieves] };
  const url = await stage.another({ mcp: true, auth, blockingWaitMs: 20, cancelWaitMs: 20 });
  const owner = await connected(carol.key, url);
  const taskId: string = Object((await echo(owner)).structuredContent).taskId;
  const read = () => owner.callTool({ name: 'get_task', arguments: { agent: 'echo', taskId, waitSeconds: 0 } });
  const before = await read();
  const neverThere = randomUUID();
  for (const { key } of thieves) {
    const thief = await connected(key, url);
    const answersFor = async (id: string): Promise<unknown> => {
      const tools = [
        { name: 'get_task', arguments: { agent: 'echo', taskId: id } },
        { name: 'cancel_task', arguments: { agent: 'echo', taskId: id } },
        { name: 'echo', arguments: { message: 'mine now', taskId: id } },
      ];
      const answers = await Promise.all(tools.map((tool) => thief.callTool(tool)));
      const text = 'The task does not exist or is not accessible';
      expect(answers.map((answer) => [answer.isError, textOf(answer)])).toEqual(tools.map(() => [true, text]));
      return answers.map((answer) => JSON.stringify(answer).replaceAll(id, 'the id'));
    };
    expect(await answersFor(taskId)).toEqual(await answersFor(neverThere));
    await thief.close();
  }
  expect(await read()).toEqual(before);
  await owner.close();
});

test('a caller sees the agents that it may use', async () => {
  const credentials = new Credentials(stage.store.inside);
  const { key } = await credentials.create({ tenant: 'acme', subject: 'bob', scopes: [], agents: ['mute'] });
  const client = await connected(key);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['mute', 'get_task', 'cancel_task']);
  expect(textOf(await echo(client))).toBe('There is no agent "echo" here');
  await client.close();
});

test('a subscriber is notified of new agents, and its stream ends when the gateway stops', async () => {
  const other = await openStage({ gateway: { mcp: true } });
  const client = await connected(ada.key, other.url);
  let heard = 0;
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    heard++;
  });
  const subscription = await client.listen({ toolsListChanged: true });
  const newcomer = { id: 'newcomer', card: { ...card, name: 'Newcomer' }, repliesWithMessage: false, concurrency: 1 };
  await other.store.registry.announce([...agents, newcomer], 'another');
  await until(() => heard > 0, { what: 'the subscriber is notified' });
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('newcomer');
  await other[Symbol.asyncDispose]();
  await subscription.closed;
  await client.close();
});

test('files of a result become MCP content of the matching type', () => {
  const parts = [
    { raw: 'AAAA', mediaType: 'image/png' },
    { raw: 'AAAA', mediaType: 'audio/wav' },
    { raw: 'AAAA', mediaType: 'application/zip', filename: 'all of it.zip' },
    { url: 'https://files.example.com/a.pdf', mediaType: 'application/pdf', filename: 'a.pdf' },
  ];
  const status = { state: 'TASK_STATE_COMPLETED' } as const;
  const { content } = resultOf('painter', {
    task: { id: 't', contextId: 'c', status, artifacts: [{ artifactId: 'a', parts }] },
  });
  expect(content).toEqual([
    { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
    {
      type: 'resource',
      resource: { uri: 'a2a:t/a/2/all%20of%20it.zip', blob: 'AAAA', mimeType: 'application/zip' },
    },
    { type: 'resource_link', uri: 'https://files.example.com/a.pdf', name: 'a.pdf', mimeType: 'application/pdf' },
  ]);
});
