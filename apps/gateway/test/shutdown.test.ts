import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import type { Task } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import { get, openSendStream, openStream, send, submit, userMessage } from './support/client.ts';
import { completed, working } from './support/events.ts';
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
    expect(await rest).toEqual([]);
    await turn.publish(completed());
    const resumed = await openStream(`${other}/tasks/${id}:subscribe`, { headers: { 'last-event-id': seen.id ?? '' } });
    expect((await resumed.rest()).map(({ data }) => data.statusUpdate?.status.state)).toEqual(['TASK_STATE_COMPLETED']);
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
    expect(performance.now() - startedAt).toBeLessThan(1_000);
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
