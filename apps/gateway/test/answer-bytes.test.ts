import { randomUUID } from 'node:crypto';
import type { Task } from '@switchyard/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { get, openSendStream, openStream, post, send, submit, userMessage } from './support/client.ts';
import { canceled, completed, replied } from './support/events.ts';
import { openStage, type Stage } from './support/stage.ts';

/** Large, and small enough for the cache, which keeps it. */
const text = 'x'.repeat(200_000);

let stage: Stage;
beforeEach(async () => {
  stage = await openStage({ store: { maxAnswerBytes: 20 * 2 ** 20 } });
});
afterEach(() => stage[Symbol.asyncDispose]());

const largeTask = (path = ''): Promise<Task> => submit(`${stage.url}${path}`, userMessage(text));

const nothingCounts = (): Promise<true> =>
  until(() => stage.store.answerBytes === 0, { what: 'nothing counts', timeoutMs: 1_000 });

const untilFollowed = (): Promise<true> => until(() => stage.store.feeds.size === 1, { what: 'a call waits' });

const pathTo = ({ id }: Task): string => `${stage.url}/tasks/${id}`;

describe('A large task that was read and is not sent does not count:', () => {
  it('one that cannot be deleted', async () => {
    const { status } = await fetch(pathTo(await largeTask()), { method: 'DELETE' });
    expect(status).toBeGreaterThanOrEqual(400);
    await nothingCounts();
  });

  it('one that its caller may not see yet, and one that a message replaced', async () => {
    const contextId = randomUUID();
    const sending = send(`${stage.url}/agents/oracle`, userMessage(text, { contextId }));
    const id = await stage.taskIn(contextId, 'oracle');
    const path = `${stage.url}/agents/oracle/tasks/${id}`;
    expect((await get(path)).status).toBe(404);
    await nothingCounts();
    await (await stage.beginTurn(id)).publish(replied('42'));
    expect((await sending).body.message).toBeDefined();
    expect((await get(path)).status).toBe(404);
    await nothingCounts();
  });

  it('one whose caller waits for a change, and leaves', async () => {
    const leaving = new AbortController();
    const path = pathTo(await largeTask());
    const waiting = fetch(path, { headers: { prefer: 'wait=20' }, signal: leaving.signal });
    await untilFollowed();
    await nothingCounts();
    leaving.abort();
    await expect(waiting).rejects.toThrow();
    await nothingCounts();
  });

  it('one whose turn is to be canceled', async () => {
    const task = await largeTask();
    const turn = await stage.beginTurn(task.id);
    const canceling = post(`${pathTo(task)}:cancel`, {});
    await untilFollowed();
    await nothingCounts();
    await turn.publish(canceled);
    expect((await canceling).status).toBe(200);
    await nothingCounts();
  });

  it('one that has ended, for a subscriber', async () => {
    const task = await largeTask();
    await (await stage.beginTurn(task.id)).publish(completed());
    expect((await openStream(`${pathTo(task)}:subscribe`)).response.status).toBe(400);
    await nothingCounts();
  });

  it('those of a list', async () => {
    await Promise.all([largeTask(), largeTask()]);
    expect((await get(`${stage.url}/tasks`)).status).toBe(200);
    await nothingCounts();
  });

  it('one that was held back when a message took its place', async () => {
    const url = `${stage.url}/agents/oracle`;
    const message = userMessage(text, { contextId: randomUUID() });
    const opening = openSendStream(url, message);
    const id = await stage.taskIn(message.contextId ?? '', 'oracle');
    // A retry reads the task.
    const streams = await Promise.all([opening, openSendStream(url, message)]);
    await until(() => stage.store.feeds.size === 2, { what: 'both wait' });
    await until(() => stage.store.answerBytes > 0, { what: 'it counts while it is held back' });
    await (await stage.beginTurn(id)).publish(replied('42'));
    const events = await Promise.all(streams.map((stream) => stream.rest()));
    expect(events.flat().map(({ data }) => data.message !== undefined)).toEqual([true, true]);
    await nothingCounts();
  });
});
