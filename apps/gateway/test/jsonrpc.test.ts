import type { ListTasksResponse, Task } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patience } from '../../../tests/support/until.ts';
import { call, type ErrorBody, openStream, post, type Sent, submit, userMessage } from './support/client.ts';
import { completed, working } from './support/events.ts';
import { openStage, type Stage } from './support/stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(() => stage[Symbol.asyncDispose]());

interface Result<T> {
  readonly jsonrpc: string;
  readonly id: unknown;
  readonly result: T;
}

const immediately = { returnImmediately: true };

describe('JSON-RPC', () => {
  it('sends, reads, lists and cancels', async () => {
    const message = userMessage('hello');
    const sent = await call<Result<Sent>>(stage.url, 'SendMessage', { message, configuration: immediately });
    const { id, contextId } = sent.body.result.task;
    expect([sent.status, sent.headers.get('content-type'), sent.body.id]).toEqual([200, 'application/json', 1]);
    const read = await call<Result<Task>>(stage.url, 'GetTask', { id, historyLength: 5 });
    expect(read.body).toEqual({ jsonrpc: '2.0', id: 1, result: sent.body.result.task });
    const list = await call<Result<ListTasksResponse>>(stage.url, 'ListTasks', { contextId });
    expect(list.body.result.tasks.map((task) => task.id)).toEqual([id]);
    const ended = await call<Result<Task>>(stage.url, 'CancelTask', { id });
    expect(ended.body.result.status.state).toBe('TASK_STATE_CANCELED');
  });

  it('streams responses to the same request', async () => {
    const { id } = await submit(stage.url);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 'sub', method: 'SubscribeToTask', params: { id } });
    const stream = await openStream(stage.url, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect(await stream.next()).toMatchObject({ data: { jsonrpc: '2.0', id: 'sub', result: { task: { id } } } });
    const turn = await stage.beginTurn(id);
    await turn.publish(working());
    await turn.publish(completed());
    const rest = await stream.rest();
    expect(rest).toHaveLength(2);
    expect(rest.at(-1)).toMatchObject({ data: { id: 'sub', result: { statusUpdate: { taskId: id } } } });
  });

  it('serves every agent at its own URL', async () => {
    const params = { message: userMessage('hello'), configuration: immediately };
    const { body } = await call<Result<Sent>>(`${stage.url}/agents/guest`, 'SendMessage', params);
    const { id } = body.result.task;
    expect((await call<ErrorBody>(stage.url, 'GetTask', { id })).body.error.code).toBe(-32001);
    expect((await call<Result<Task>>(`${stage.url}/agents/guest`, 'GetTask', { id })).body.result.id).toBe(id);
  });

  it.each([1, 'one', null, -1.5, ''])('returns the id %j unchanged', async (id) => {
    const { body } = await post<Result<unknown>>(stage.url, { jsonrpc: '2.0', id, method: 'ListTasks' });
    expect(body).toMatchObject({ id, result: { nextPageToken: '' } });
  });

  it.each(['9007199254740993', '-123456789012345678901234567890', '1e400', '1.5'])(
    "returns the number %s unchanged, even beyond JavaScript's precision",
    async (id) => {
      const body = `{"jsonrpc":"2.0","params":{"id":7,"":{"id":8}},"id":${id},"method":"ListTasks"}`;
      const response = await fetch(stage.url, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      });
      expect(await response.text()).toContain(`"id":${id},`);
    },
  );

  it('runs a notification, and sends no body', async () => {
    const message = userMessage('hello', { contextId: 'notified' });
    const request = { jsonrpc: '2.0', method: 'SendMessage', params: { message, configuration: immediately } };
    const { status, body } = await post(stage.url, request);
    expect([status, body]).toEqual([204, undefined]);
    expect(await stage.taskIn('notified')).toBeTruthy();
    expect((await post(stage.url, { jsonrpc: '2.0', method: 'CancelTask', params: { id: 'nothing' } })).status).toBe(
      204,
    );
    const { params } = request;
    expect((await post(stage.url, { jsonrpc: '2.0', method: 'SendStreamingMessage', params })).status).toBe(204);
  });

  it.each([undefined, immediately])(
    'answers a notification at once, though its task goes on',
    async (configuration) => {
      const contextId = crypto.randomUUID();
      const params = { message: userMessage('hello', { contextId }), ...(configuration && { configuration }) };
      const began = performance.now();
      expect((await post(stage.url, { jsonrpc: '2.0', method: 'SendMessage', params })).status).toBe(204);
      expect(performance.now() - began).toBeLessThan(5_000 * patience);
      expect(await stage.taskIn(contextId)).toBeTruthy();
    },
  );

  it.each(['SubscribeToTask', 'SendStreamingMessage'])(
    'waits for nothing after a notification of %s',
    async (method) => {
      const contextId = `notified of ${method}`;
      const message = userMessage('hello', { contextId });
      const params = method === 'SubscribeToTask' ? { id: (await submit(stage.url, message)).id } : { message };
      expect((await post(stage.url, { jsonrpc: '2.0', method, params })).status).toBe(204);
      expect(await stage.taskIn(contextId)).toBeTruthy();
      expect(stage.store.feeds.heldBytes).toBe(0);
    },
  );

  it('answers a batch with a single error', async () => {
    const request = { jsonrpc: '2.0', id: 1, method: 'ListTasks' };
    const { status, body } = await post<ErrorBody>(stage.url, [request, request]);
    expect(status).toBe(200);
    expect(body).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32600 } });
  });

  it.each([
    ['SubscribeToTask', { id: 'nothing' }, -32001],
    ['GetExtendedAgentCard', undefined, -32004],
    ['GetExtendedAgentCard', null, -32004],
    ['GetTask', [], -32602],
    ['GetTask', {}, -32602],
    ['tasks/send', {}, -32601],
    ['toString', {}, -32601],
  ])('refuses %s with params %j: error %i', async (method, params, code) => {
    const { status, body } = await call<ErrorBody>(stage.url, method, params);
    expect([status, body.error.code]).toEqual([200, code]);
    expect(body.error.data?.[0]).toMatchObject({
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      domain: 'a2a-protocol.org',
    });
  });

  it('names every wrong field of the request object', async () => {
    const { body } = await post<ErrorBody>(stage.url, { jsonrpc: '1.0', id: {}, method: 7 });
    expect(body).toMatchObject({ id: null, error: { code: -32600 } });
    expect(body.error.data?.[1]?.fieldViolations?.map(({ field }) => field)).toEqual(['jsonrpc', 'id', 'method']);
  });

  it.each([
    [{ jsonrpc: '1.0', id: 1, method: 'GetTask' }, 'Request payload validation error: jsonrpc must be "2.0"'],
    [{ jsonrpc: '2.0', id: 1, method: 'message/send' }, 'Method not found: method must be one of SendMessage, '],
    [{ jsonrpc: '2.0', id: 1, method: 'GetTask', params: [] }, 'Invalid parameters: params must be an object'],
  ])('says in the message what is wrong, as most clients show only that: %j', async (request, message) => {
    const { body } = await post<ErrorBody>(stage.url, request, { 'a2a-version': '1.0' });
    expect(body.error.message.slice(0, message.length)).toBe(message);
  });

  it('returns the id of a wrong request with its error', async () => {
    const { body } = await post<ErrorBody>(stage.url, { jsonrpc: '2.0', id: 'mine' });
    expect(body).toMatchObject({ id: 'mine', error: { code: -32600 } });
  });
});
