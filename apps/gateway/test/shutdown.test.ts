import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import type { Task } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import { patience, until } from '../../../tests/support/until.ts';
import { overGrpc } from './support/bindings/over-grpc.ts';
import { get, openSendStream, openStream, send, submit, userMessage } from './support/client.ts';
import { completed, working } from './support/events.ts';
import { grpcAddressOf } from './support/grpc-address.ts';
import { openStage } from './support/stage.ts';

describe('a gateway that is stopped', () => {
  it('ends streams between two events, so that clients resume at another gateway', async () => {
    await using stage = await openStage();
    const other = await stage.another();
    const stream = await openSendStream(stage.url, userMessage('hello'));
    const first = await stream.next();
    const id = first.data.task?.id ?? '';
    const turn = await stage.beginTurn(id);
    await turn.publish(working());
    const seen = await stream.next();
    const rest = stream.rest();
    await stage.gateway.stop();
    expect((await rest).map(({ event, id }) => [event, id])).toEqual([['error', undefined]]);
    await turn.publish(completed());
    const resumed = await openStream(`${other}/tasks/${id}:subscribe`, { headers: { 'last-event-id': seen.id ?? '' } });
    expect((await resumed.rest()).map(({ data }) => data.statusUpdate?.status.state)).toEqual(['TASK_STATE_COMPLETED']);
  });

  it('says at the end of each stream that it is shutting down, in the words of its binding', async () => {
    await using stage = await openStage({ gateway: { grpc: { port: 0, publicAddress: 'auto' } } });
    const { id } = await submit(stage.url);
    const rpc = (method: string) => ({ url: stage.url, body: { jsonrpc: '2.0', id: 7, method, params: { id } } });
    const opened = await Promise.all(
      [
        rpc('SubscribeToTask'),
        rpc('tasks/resubscribe'),
        { url: `${stage.url}/tasks/${id}:subscribe`, body: {} },
        { url: `${stage.url}/v1/tasks/${id}:subscribe`, body: {} },
      ].map(({ url, body }) =>
        fetch(url, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      ),
    );
    using grpc = overGrpc(await grpcAddressOf(stage.url));
    const overRpc = grpc.invoke({ operation: 'SubscribeToTask', params: { id } });
    await until(() => stage.store.feeds.size === 5, { what: 'the task is followed by each' });
    const texts = opened.map((response) => response.text());
    await stage.gateway.stop();
    const lasts = (await Promise.all(texts)).map((text) => JSON.parse(text.trim().split('data: ').at(-1) ?? ''));
    expect(lasts).toEqual([
      { jsonrpc: '2.0', id: 7, error: expect.objectContaining({ code: -32057 }) },
      { jsonrpc: '2.0', id: 7, error: expect.objectContaining({ code: -32057 }) },
      { error: expect.objectContaining({ status: 'UNAVAILABLE' }) },
      expect.objectContaining({ code: -32057, message: expect.stringContaining('shutting down') }),
    ]);
    expect(await overRpc).toMatchObject({ error: { reason: 'UNAVAILABLE' } });
  });

  it('answers waiting calls with the current task, and closes their connections', async () => {
    await using stage = await openStage();
    const { id } = await submit(stage.url);
    const contextId = randomUUID();
    const sent = send(stage.url, userMessage('hello', { contextId }));
    await stage.taskIn(contextId);
    const polled = get<Task>(`${stage.url}/tasks/${id}`, { prefer: 'wait=20' });
    await expect.poll(() => stage.store.feeds.size).toBe(2);
    const startedAt = performance.now();
    await stage.gateway.stop();
    expect(performance.now() - startedAt).toBeLessThan(1_000 * patience);
    const answers = [await sent, await polled];
    expect((await sent).body.task.status.state).toBe('TASK_STATE_SUBMITTED');
    expect((await polled).body.status.state).toBe('TASK_STATE_SUBMITTED');
    // A client must not send its next request on a connection that is being closed.
    expect(answers.map(({ headers }) => headers.get('connection'))).toEqual(['close', 'close']);
  });

  it('does not wait for a request that never ends', async () => {
    await using stage = await openStage({ gateway: { drainMs: 50 } });
    const { hostname, port } = new URL(stage.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.write(
      'POST /message:send HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    );
    await submit(stage.url);
    await stage.gateway.stop();
    await expect.poll(() => socket.readyState).toBe('closed');
  });

  it('accepts no new requests, and can be stopped twice', async () => {
    await using stage = await openStage();
    await Promise.all([stage.gateway.stop(), stage.gateway.stop()]);
    await stage.gateway.stop();
    await expect(fetch(`${stage.url}/healthz`)).rejects.toThrow();
  });

  it('can be stopped before it was started', async () => {
    await using stage = await openStage();
    const { createGateway } = await import('../src/index.ts');
    const { pino } = await import('pino');
    await createGateway({}, { store: stage.store, log: pino({ level: 'silent' }) }).stop();
  });
});
