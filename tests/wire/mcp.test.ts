import {
  type CallToolResult,
  Client,
  type ClientOptions,
  type Progress,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import type { Task } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { get } from '../support/rest.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

// On a busy machine processes start slowly.
// The official SDK's client over HTTP. Each request goes to another gateway.

const keys = { ada: 'key-of-ada-0123456789', bob: 'key-of-bob-0123456789' };
const eras = { modern: { versionNegotiation: { mode: { pin: '2026-07-28' } } }, legacy: {} } as const;

let stack: Stack;
const clients: Client[] = [];
beforeAll(async () => {
  const env = { MCP: 'on', AUTH: 'api-key', API_KEYS: `${keys.ada}:ada,${keys.bob}:bob`, BLOCKING_WAIT_MS: '1500' };
  stack = await startStack({ redisUrl: inject('redisUrl'), agents: ['echo'], gateways: 2, env });
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await stack.stop();
});

let asked = 0;
const inTurn: typeof fetch = (url, init) => {
  const gateway = stack.urls[asked++ % stack.urls.length];
  return fetch(new URL(new URL(String(url)).pathname, gateway), init);
};

async function connected(options: ClientOptions = eras.modern, key = keys.ada): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, options);
  clients.push(client);
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL('http://gateway/mcp'), { requestInit, fetch: inTurn }),
  );
  return client;
}

const textOf = ({ content }: CallToolResult): string =>
  content.flatMap((block) => (block.type === 'text' ? block.text : [])).join('\n');
const stateOf = ({ structuredContent }: CallToolResult): unknown => Object(structuredContent).state;
const taskOf = ({ structuredContent }: CallToolResult): string => String(Object(structuredContent).taskId);
const echo = (client: Client, message: string, more: object = {}) =>
  client.callTool({ name: 'echo', arguments: { message, ...more } });

describe.concurrent.each(Object.entries(eras))('a client of the %s revisions', (_, options) => {
  test('sees each agent as a tool with its description', async () => {
    const { tools } = await (await connected(options)).listTools();
    expect(tools.map(({ name }) => name)).toEqual(['echo', 'get_task', 'cancel_task']);
    const [agent] = tools;
    expect(agent).toMatchObject({ title: 'Echo', inputSchema: { type: 'object', required: ['message'] } });
    expect(agent?.description).toContain('- Echo: Completes with the parts of your message');
  });

  test("calls an agent, and gets its answer, its artifacts and the task's ids", async () => {
    const client = await connected(options);
    const said = await echo(client, 'hello', { data: { size: 'l' } });
    expect(said.content).toEqual([
      { type: 'text', text: 'hello' },
      { type: 'text', text: '{"size":"l"}' },
    ]);
    const taskId = expect.stringMatching(/^[\da-f-]{36}$/);
    expect(said.structuredContent).toEqual({
      agent: 'echo',
      taskId,
      contextId: taskId,
      state: 'TASK_STATE_COMPLETED',
    });
    expect(said.isError).toBeFalsy();
    expect(textOf(await echo(client, 'stream 3'))).toBe('chunk 1\nchunk 2\nchunk 3\n');
    const message = await echo(client, 'message');
    expect(textOf(message)).toBe('A message, and no task');
  });

  test('gets progress notifications while the task works, however long', async () => {
    const heard: string[] = [];
    const onprogress = ({ message = '' }: Progress): unknown => heard.push(message);
    const client = await connected(options);
    const done = await client.callTool({ name: 'echo', arguments: { message: 'slow 1800' } }, { onprogress });
    expect(textOf(done)).toBe('Done');
    expect(heard).toContain('Taking my time');
  });

  test('continues a task that outlives its call, or that asks', async () => {
    const client = await connected(options);
    const early = await echo(client, 'slow 4000');
    expect(stateOf(early)).toMatch(/SUBMITTED|WORKING/);
    expect(textOf(early)).toContain(`call get_task with agent "echo" and taskId "${taskOf(early)}"`);
    const read = async (): Promise<CallToolResult | false> => {
      const now = await client.callTool({ name: 'get_task', arguments: { agent: 'echo', taskId: taskOf(early) } });
      return stateOf(now) === 'TASK_STATE_COMPLETED' && now;
    };
    expect(textOf(await until(read, { what: 'the task is done', timeoutMs: 20_000 }))).toBe('Done');
    const asks = await echo(client, 'ask');
    expect(stateOf(asks)).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(textOf(asks)).toContain('What shall I say?');
    const answered = await echo(client, 'this', { taskId: taskOf(asks) });
    expect([taskOf(answered), textOf(answered)]).toEqual([taskOf(asks), 'this']);
  });

  test('gets errors as the result of its call', async () => {
    const client = await connected(options);
    for (const [message, word] of [
      ['fail', 'Failed, as you asked.'],
      ['reject', 'Rejected, as you asked.'],
    ] as const) {
      const result = await echo(client, message);
      expect([result.isError, textOf(result).includes(word)]).toEqual([true, true]);
    }
    const wrong = await client.callTool({ name: 'echo', arguments: { mesage: 'hi' } });
    expect([wrong.isError, textOf(wrong)]).toEqual([true, expect.stringContaining('message')]);
    const unknown = await client.callTool({ name: 'nobody', arguments: { message: 'hi' } });
    expect([unknown.isError, textOf(unknown)]).toEqual([true, 'There is no agent "nobody" here']);
  });
});

test.concurrent('the same message id, sent twice, creates one task', async () => {
  const client = await connected();
  const call = { name: 'echo', arguments: { message: 'hello' }, _meta: { 'switchyard/messageId': 'once' } };
  const [first, second] = [await client.callTool(call), await client.callTool(call)];
  expect(taskOf(second)).toBe(taskOf(first));
  expect(taskOf(await echo(client, 'hello'))).not.toBe(taskOf(first));
});

test.concurrent('a task continues when its client disconnects', async () => {
  const client = await connected();
  const gone = new AbortController();
  const contextId = 'left alone';
  const call = client.callTool(
    { name: 'echo', arguments: { message: 'slow 500', contextId } },
    { signal: gone.signal, onprogress: () => gone.abort() },
  );
  await expect(call).rejects.toThrow();
  const [url = ''] = stack.urls;
  const done = async (): Promise<boolean> => {
    const { body } = await get<{ tasks: Task[] }>(`${url}/tasks?contextId=${encodeURIComponent(contextId)}`, {
      authorization: `Bearer ${keys.ada}`,
    });
    return body.tasks[0]?.status.state === 'TASK_STATE_COMPLETED';
  };
  await until(done, { what: 'the task is done', timeoutMs: 20_000 });
});

test.concurrent('a task can be canceled', async () => {
  const client = await connected();
  const early = await echo(client, 'slow 60000');
  const args = { agent: 'echo', taskId: taskOf(early) };
  await client.callTool({ name: 'cancel_task', arguments: args });
  const isCanceled = async (): Promise<boolean> =>
    stateOf(await client.callTool({ name: 'get_task', arguments: args })) === 'TASK_STATE_CANCELED';
  await until(isCanceled, { what: 'the task is canceled', timeoutMs: 20_000 });
});

test.concurrent('a client with elicitation asks its user, and the call continues with the answer', async () => {
  const client = await connected({ ...eras.modern, capabilities: { elicitation: {} } });
  const questions: string[] = [];
  client.setRequestHandler('elicitation/create', ({ params }) => {
    questions.push(params.message);
    return { action: 'accept', content: { answer: 'a pizza' } };
  });
  const done = await echo(client, 'ask');
  expect([questions, textOf(done), stateOf(done)]).toEqual([['What shall I say?'], 'a pizza', 'TASK_STATE_COMPLETED']);
  client.setRequestHandler('elicitation/create', () => ({ action: 'decline' }));
  const declined = await echo(client, 'ask');
  expect([stateOf(declined), declined.isError ?? false]).toEqual(['TASK_STATE_INPUT_REQUIRED', false]);
});

test.concurrent("a request without a key is refused, and another caller's key does not see the task", async () => {
  await expect(connected(eras.modern, 'no-key-at-all-0123456789')).rejects.toThrow();
  const { status, headers } = await fetch(`${stack.urls[0]}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  expect([status, headers.has('www-authenticate')]).toEqual([401, true]);
  const theirs = taskOf(await echo(await connected(), 'hello'));
  const bob = await connected(eras.modern, keys.bob);
  const stolen = await bob.callTool({ name: 'get_task', arguments: { agent: 'echo', taskId: theirs } });
  expect([stolen.isError, textOf(stolen)]).toEqual([true, 'The task does not exist or is not accessible']);
});
