import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ErrorBody, type EventStream, get, openStream, post, submit } from './support/client.ts';
import { asked, chunk, completed, working } from './support/events.ts';
import { openStage, type Stage } from './support/stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(() => stage[Symbol.asyncDispose]());

function subscribe(taskId: string, init: RequestInit = {}, url = stage.url): Promise<EventStream> {
  return openStream(`${url}/tasks/${taskId}:subscribe`, { method: 'POST', ...init });
}

describe('SubscribeToTask', () => {
  it('starts with the task and stays open until its final state, across a question', async () => {
    const { id } = await submit(stage.url);
    const stream = await subscribe(id);
    expect((await stream.next()).data.task).toMatchObject({ id, status: { state: 'TASK_STATE_SUBMITTED' } });
    await (await stage.beginTurn(id)).publish(asked('Which one?'));
    expect((await stream.next()).data.statusUpdate?.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    await post(`${stage.url}/tasks/${id}:cancel`, {});
    const rest = await stream.rest();
    expect(rest.at(-1)?.data.statusUpdate?.status.state).toBe('TASK_STATE_CANCELED');
  });

  it('is available by GET, too, for EventSource', async () => {
    const { id } = await submit(stage.url);
    const stream = await subscribe(id, { method: 'GET' });
    expect((await stream.next()).data.task?.id).toBe(id);
    stream.cut();
  });

  it('sends every subscriber the same events, at any gateway', async () => {
    const { id } = await submit(stage.url);
    const other = await stage.another();
    const streams = await Promise.all([subscribe(id), subscribe(id), subscribe(id, {}, other)]);
    const turn = await stage.beginTurn(id);
    await Promise.all(streams.map((stream) => stream.next()));
    await turn.publish(working());
    await turn.publish(completed());
    const [first, ...others] = await Promise.all(streams.map((stream) => stream.rest()));
    expect(first).toHaveLength(2);
    for (const events of others) expect(events).toEqual(first);
  });

  it('resumes after a cut at another gateway, without gaps and repetitions', async () => {
    const { id } = await submit(stage.url);
    const other = await stage.another();
    const turn = await stage.beginTurn(id);
    const stream = await subscribe(id);
    const begun = await stream.next();
    await turn.publish(chunk('1', { append: false }));
    const seen = await stream.next();
    stream.cut();
    for (const text of ['2', '3', '4']) await turn.publish(chunk(text));
    const resumed = await subscribe(id, { headers: { 'last-event-id': seen.id ?? '' } }, other);
    const texts = [await resumed.next(), await resumed.next(), await resumed.next()];
    expect(texts.map(({ data }) => data.artifactUpdate?.artifact.parts[0]?.text)).toEqual(['2', '3', '4']);
    await turn.publish(completed());
    const ids = [begun, seen, ...texts, ...(await resumed.rest())].map((event) => Number.parseInt(event.id ?? '', 10));
    expect(ids).toEqual(ids.map((_, index) => Number(begun.id) + index));
  });

  it('sends the events of an ended task to a client that was disconnected before', async () => {
    const { id } = await submit(stage.url);
    const turn = await stage.beginTurn(id);
    await turn.publish(working());
    await turn.publish(completed());
    const stream = await openStream(`${stage.url}/tasks/${id}:subscribe?lastEventId=1`);
    const events = await stream.rest();
    expect(events.map((event) => Number.parseInt(event.id ?? '', 10))).toEqual([2, 3]);
    // The former name of the parameter still works.
    expect(await (await openStream(`${stage.url}/tasks/${id}:subscribe?fromSeq=1`)).rest()).toEqual(events);
    const { status } = await get(`${stage.url}/tasks/${id}:subscribe`, { 'last-event-id': events.at(-1)?.id ?? '' });
    expect(status).toBe(400);
  });

  it('refuses a task that has ended', async () => {
    const { id } = await submit(stage.url);
    await (await stage.beginTurn(id)).publish(completed());
    const { status, body } = await get<ErrorBody>(`${stage.url}/tasks/${id}:subscribe`);
    expect(status).toBe(400);
    expect(body.error.details?.[0]?.reason).toBe('UNSUPPORTED_OPERATION');
  });

  it('answers 404 for an unknown task', async () => {
    const { status, body } = await post<ErrorBody>(`${stage.url}/tasks/nothing:subscribe`, {});
    expect(status).toBe(404);
    expect(body.error.details?.[0]?.reason).toBe('TASK_NOT_FOUND');
  });

  it('names an invalid Last-Event-ID', async () => {
    const { id } = await submit(stage.url);
    const { status, body } = await get<ErrorBody>(`${stage.url}/tasks/${id}:subscribe`, { 'last-event-id': 'x' });
    expect(status).toBe(400);
    expect(body.error.details?.[1]?.fieldViolations?.[0]?.field).toBe('Last-Event-ID');
  });
});
