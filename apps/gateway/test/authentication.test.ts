import type { Task } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiKey } from '../src/index.ts';
import { type ErrorBody, get, post, type Sent, userMessage } from './support/client.ts';
import { openStage, type Stage } from './support/stage.ts';

const keyOf = (name: string, given: Partial<ApiKey> = {}): ApiKey => ({
  key: `key-of-${name}-0123456789`,
  subject: name,
  tenant: 'default',
  scopes: [],
  ...given,
});
const keys = [keyOf('alice'), keyOf('bob'), keyOf('carol', { subject: 'alice', tenant: 'elsewhere' })];
const header = (name: string) => ({ 'x-api-key': `key-of-${name}-0123456789` });

let stage: Stage;

beforeAll(async () => {
  stage = await openStage({ gateway: { auth: { keys } } });
});

afterAll(() => stage[Symbol.asyncDispose]());

describe('A refused JSON-RPC request', () => {
  it.each([
    ['{"jsonrpc":"2.0","id":"mine","method":"ListTasks"}', 'mine'],
    ['{"jsonrpc":"2.0","id":7,"method":"message/send"}', 7],
    ['{"jsonrpc":', null],
    [JSON.stringify({ id: 'mine', padding: 'x'.repeat(100_000) }), null],
  ])('gets an answer with its id, or null if the id cannot be read: %.30s', async (request, id) => {
    const { status, body } = await post<{ id: unknown }>(stage.url, request);
    expect([status, body.id]).toEqual([401, id]);
  });
});

describe('with API keys', () => {
  it('requests without a key are refused', async () => {
    const paths = ['/tasks', '/tasks/1', '/agents', '/extendedAgentCard'];
    for (const headers of [
      {},
      { 'x-api-key': 'wrong' },
      { authorization: 'Bearer wrong' },
      { authorization: 'Basic YTpi' },
    ]) {
      for (const path of paths) {
        const answer = await get<ErrorBody>(stage.url + path, headers);
        expect([answer.status, answer.body.error.status]).toEqual([401, 'UNAUTHENTICATED']);
        expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="switchyard"');
      }
    }
  });

  it('a JSON-RPC request without a key gets 401 and a JSON-RPC error', async () => {
    const { status, headers, body } = await post<ErrorBody>(stage.url, { jsonrpc: '2.0', id: 1, method: 'ListTasks' });
    expect([status, body]).toMatchObject([401, { jsonrpc: '2.0', id: 1, error: { code: -32051 } }]);
    expect(headers.get('www-authenticate')).toBeTruthy();
  });

  it('the body of a request without a key is not read', async () => {
    const { status } = await post(`${stage.url}/message:send`, '{', {});
    expect(status).toBe(401);
  });

  it('a key is accepted in either header, and a task is visible only to its owner', async () => {
    const message = userMessage('mine');
    const body = { message, configuration: { returnImmediately: true } };
    const { task } = (await post<Sent>(`${stage.url}/message:send`, body, header('alice'))).body;
    const url = `${stage.url}/tasks/${task.id}`;
    const bearer = { authorization: `Bearer ${header('alice')['x-api-key']}` };
    expect((await get<Task>(url, bearer)).body.id).toBe(task.id);
    for (const other of ['bob', 'carol']) {
      expect((await get(url, header(other))).status).toBe(404);
      expect((await post(`${url}:cancel`, {}, header(other))).status).toBe(404);
      expect((await post(`${url}:subscribe`, {}, header(other))).status).toBe(404);
      const follow = { message: userMessage('theirs', { taskId: task.id }) };
      expect((await post(`${stage.url}/message:send`, follow, header(other))).status).toBe(404);
      expect((await get<{ totalSize: number }>(`${stage.url}/tasks`, header(other))).body.totalSize).toBe(0);
    }
  });

  it('cards and health checks need no key', async () => {
    for (const path of [
      '/.well-known/agent-card.json',
      '/agents/echo/.well-known/agent-card.json',
      '/healthz',
      '/readyz',
    ]) {
      expect((await get(stage.url + path)).status).toBe(200);
    }
  });
});

describe('without authentication', () => {
  it('a gateway refuses to listen beyond loopback unless ALLOW_ANONYMOUS is set', async () => {
    await expect(stage.another({ auth: { allowAnonymous: false }, host: '0.0.0.0' })).rejects.toThrow(
      'ALLOW_ANONYMOUS',
    );
  });
});
