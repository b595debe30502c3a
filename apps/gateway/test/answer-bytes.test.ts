import { randomUUID } from 'node:crypto';
import type { Task } from '@switchyard/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { get, openSendStream, openStream, post, send, submit, userMessage } from './support/client.ts';
import { canceled, completed, replied } from './support/events.ts';
import { openStage, type Stage } from './support/stage.ts';

/** Large, but small enough for the cache, which keeps it. */
const text = 'x'.repeat(200_000);

let stage: Stage;
beforeEach(async () => {
  stage = await openStage({ store: { maxAnswerBytes: 20 * 2 ** 20 } });
});
afterEach(() => stage[Symbol.asyncDispose]());

const largeTask = (path = ''): Promise<Task> => submit(`${stage.url}${path}`, userMessage(text));

const nothingCounts = (): Promise<true> =>
  until(() => stage.store.answerBytes === 0, { what: 'no bytes are counted', timeoutMs: 1_000 });

const untilFollowed = (): Promise<true> => until(() => stage.store.feeds.size === 1, { what: 'a call waits' });

const pathTo = ({ id }: Task): string => `${stage.url}/tasks/${id}`;

describe('The bytes of a large task do not count when it is read but not sent:', () => {
  it('the task cannot be deleted', async () => {
    const { status } = await fetch(pathTo(await largeTask()), { method: 'DELETE' });
    expect(status).toBeGreaterThanOrEqual(400);
    await nothingCounts();
  });

  it('the task is not visible yet, or was replaced by a message', async () => {
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

  it('the caller waits for a change, and disconnects', async () => {
    const leaving = new AbortController();
    const path = pathTo(await largeTask());
    const waiting = fetch(path, { headers: { prefer: 'wait=20' }, signal: leaving.signal });
    await untilFollowed();
    await nothingCounts();
    leaving.abort();
    await expect(waiting).rejects.toThrow();
    await nothingCounts();
  });

  it('the task is being canceled', async () => {
    const task = await largeTask();
    const turn = await stage.beginTurn(task.id);
    const canceling = post(`${pathTo(task)}:cancel`, {});
    await untilFollowed();
    await nothingCounts();
    await turn.publish(canceled);
    expect((await canceling).status).toBe(200);
    await nothingCounts();
  });

  it('the task has ended, and a client subscribes', async () => {
    const task = await largeTask();
    await (await stage.beginTurn(task.id)).publish(completed());
    expect((await openStream(`${pathTo(task)}:subscribe`)).response.status).toBe(400);
    await nothingCounts();
  });

  it('the task is in a list', async () => {
    await Promise.all([largeTask(), largeTask()]);
    expect((await get(`${stage.url}/tasks`)).status).toBe(200);
    await nothingCounts();
  });

  it('the task was held back until a message replaced it', async () => {
    const url = `${stage.url}/agents/oracle`;
    const message = userMessage(text, { contextId: randomUUID() });
    const opening = openSendStream(url, message);
    const id = await stage.taskIn(message.contextId ?? '', 'oracle');
    // A retry reads the task.
    const streams = await Promise.all([opening, openSendStream(url, message)]);
    await until(() => stage.store.feeds.size === 2, { what: 'both wait' });
    await until(() => stage.store.answerBytes > 0, { what: 'its bytes are counted while it is held back' });
    await (await stage.beginTurn(id)).publish(replied('42'));
    const events = await Promise.all(streams.map((stream) => stream.rest()));
    expect(events.flat().map(({ data }) => data.message !== undefined)).toEqual([true, true]);
    await nothingCounts();
  });
});
