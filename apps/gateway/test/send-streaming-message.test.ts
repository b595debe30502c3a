import type { StreamResponse } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultResourceSettings } from '../src/settings/limit-settings.ts';
import { type ErrorBody, openSendStream, post, type SentEvent, submit, userMessage } from './support/client.ts';
import { asked, authRequired, chunk, completed, replied, working } from './support/events.ts';
import { openStage, type Stage } from './support/stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(() => stage[Symbol.asyncDispose]());

const kindOf = ({ data }: SentEvent): string => Object.keys(data).join();
const stateOf = ({ data }: { data: StreamResponse }): string | undefined => data.statusUpdate?.status.state;

describe('SendStreamingMessage', () => {
  it('starts with the task, then sends each event once and in order, up to the final state', async () => {
    const stream = await openSendStream(stage.url, userMessage('hello'));
    const first = await stream.next();
    const task = first.data.task;
    expect(task?.status.state).toBe('TASK_STATE_SUBMITTED');
    expect(task?.history?.map(({ parts }) => parts[0]?.text)).toEqual(['hello']);
    const turn = await stage.beginTurn(task?.id ?? '');
    await turn.publish(working('thinking'));
    await turn.publish(chunk('All is ', { append: false }));
    await turn.publish(chunk('well'));
    await turn.publish(completed());
    const rest = await stream.rest();
    expect(rest.map(kindOf)).toEqual(['statusUpdate', 'artifactUpdate', 'artifactUpdate', 'statusUpdate']);
    expect(rest.map(({ id }) => Number.parseInt(id ?? '', 10))).toEqual(
      [2, 3, 4, 5].map((n) => n + Number(first.id) - 1),
    );
    expect(rest.at(-1)?.data.statusUpdate).toMatchObject({
      taskId: task?.id,
      status: { state: 'TASK_STATE_COMPLETED' },
    });
  });

  it('must not be buffered or stored by proxies', async () => {
    const stream = await openSendStream(stage.url, userMessage('hello'));
    expect(Object.fromEntries(stream.response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'a2a-version': '1.0',
    });
    stream.cut();
  });

  it("ends when the agent asks for input; the answer's stream continues", async () => {
    const stream = await openSendStream(stage.url, userMessage('hello'));
    const { id = '', contextId = '' } = (await stream.next()).data.task ?? {};
    await (await stage.beginTurn(id)).publish(asked('Which one?'));
    expect((await stream.rest()).map(stateOf)).toEqual(['TASK_STATE_INPUT_REQUIRED']);

    const next = await openSendStream(stage.url, userMessage('that one', { taskId: id, contextId }));
    const { task } = (await next.next()).data;
    expect(task?.status.state).toBe('TASK_STATE_SUBMITTED');
    await (await stage.beginTurn(id, 2)).publish(completed());
    expect((await next.rest()).map(stateOf)).toEqual(['TASK_STATE_COMPLETED']);
  });

  it('starts with the new message alone if the task waited for it, whatever happened since', async () => {
    const { id } = await submit(stage.url, userMessage('hello'));
    const turn = await stage.beginTurn(id);
    await turn.publish(chunk('report', { append: false }));
    await turn.publish(asked('Which one?'));
    const stream = await openSendStream(stage.url, userMessage('that one', { taskId: id }));
    const next = await stage.beginTurn(id, 2);
    await next.publish(working('Looking'));
    await next.publish(completed());
    const [first, ...events] = await stream.rest();
    expect(first?.data.task?.history?.map(({ parts }) => parts[0]?.text)).toEqual(['that one']);
    expect(first?.data.task).not.toHaveProperty('artifacts');
    expect(events.map(stateOf)).toEqual(['TASK_STATE_WORKING', 'TASK_STATE_COMPLETED']);
  });

  it('starts with the current task if the client requests history', async () => {
    const { id } = await submit(stage.url, userMessage('hello'));
    await (await stage.beginTurn(id)).publish(asked('Which one?'));
    const stream = await openSendStream(stage.url, userMessage('that one', { taskId: id }), { historyLength: 10 });
    expect((await stream.next()).data.task?.history).toHaveLength(3);
    stream.cut();
  });

  it('stays open while an authorization is required', async () => {
    const stream = await openSendStream(stage.url, userMessage('hello'));
    const { id = '' } = (await stream.next()).data.task ?? {};
    const turn = await stage.beginTurn(id);
    await turn.publish(authRequired);
    expect(stateOf(await stream.next())).toBe('TASK_STATE_AUTH_REQUIRED');
    await turn.publish(completed());
    expect((await stream.rest()).map(stateOf)).toEqual(['TASK_STATE_COMPLETED']);
  });

  it('has a single message when the agent answers with a plain message', async () => {
    const url = `${stage.url}/agents/oracle`;
    const message = userMessage('question', { contextId: 'streamed-question' });
    const stream = await openSendStream(url, message);
    const taskId = await stage.taskIn('streamed-question', 'oracle');
    await (await stage.beginTurn(taskId)).publish(replied('42'));
    const events = await stream.rest();
    expect(events.map(kindOf)).toEqual(['message']);
    expect(events[0]?.data.message?.parts).toEqual([{ text: '42' }]);
  });

  it('shows the task after all when such an agent reports progress', async () => {
    const message = userMessage('work', { contextId: 'streamed-work' });
    const stream = await openSendStream(`${stage.url}/agents/oracle`, message);
    const turn = await stage.beginTurn(await stage.taskIn('streamed-work', 'oracle'));
    await turn.publish(working());
    await turn.publish(completed());
    expect((await stream.rest()).map(kindOf)).toEqual(['task', 'statusUpdate', 'statusUpdate']);
  });

  it('sends a retry the current task and the remaining events', async () => {
    const message = userMessage('once');
    const { id } = await submit(stage.url, message);
    const turn = await stage.beginTurn(id);
    await turn.publish(working('thinking'));
    const stream = await openSendStream(stage.url, message);
    expect((await stream.next()).data.task).toMatchObject({ id, status: { state: 'TASK_STATE_WORKING' } });
    await turn.publish(completed());
    expect((await stream.rest()).map(stateOf)).toEqual(['TASK_STATE_COMPLETED']);
    const late = await openSendStream(stage.url, message);
    expect((await late.rest()).map(({ data }) => data.task?.status.state)).toEqual(['TASK_STATE_COMPLETED']);
  });

  it('applies historyLength to its first event', async () => {
    const stream = await openSendStream(stage.url, userMessage('hello'), { historyLength: 0 });
    expect((await stream.next()).data.task).not.toHaveProperty('history');
    stream.cut();
  });

  it('is refused if the agent does not stream', async () => {
    const { status, body } = await post<ErrorBody>(`${stage.url}/agents/mute/message:stream`, {
      message: userMessage('hello'),
    });
    expect(status).toBe(400);
    expect(body.error.details?.[0]?.reason).toBe('UNSUPPORTED_OPERATION');
  });

  it('has comments during long silence', async () => {
    const url = await stage.another({ heartbeatMs: 20 });
    const stream = await openSendStream(url, userMessage('hello'));
    const { id = '' } = (await stream.next()).data.task ?? {};
    const rest = stream.rest();
    await expect.poll(stream.comments).toBeGreaterThan(1);
    await (await stage.beginTurn(id)).publish(completed());
    expect((await rest).map(stateOf)).toEqual(['TASK_STATE_COMPLETED']);
  });

  it('has a limited number of open streams', async () => {
    const url = await stage.another({ resources: { ...defaultResourceSettings, streams: { total: 1 } } });
    const stream = await openSendStream(url, userMessage('hello'));
    await stream.next();
    const { status, headers } = await post<ErrorBody>(`${url}/message:stream`, {
      message: userMessage('one too many'),
    });
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    stream.cut();
    await expect
      .poll(async () => {
        const again = await openSendStream(url, userMessage('now there is room'));
        again.cut();
        return again.response.status;
      })
      .toBe(200);
  });

  it('closes its feed when its client disconnects', async () => {
    const stream = await openSendStream(stage.url, userMessage('hello'));
    await stream.next();
    const before = stage.store.feeds.size;
    stream.cut();
    await expect.poll(() => stage.store.feeds.size).toBeLessThan(before);
  });
});
