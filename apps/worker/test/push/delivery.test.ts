import { describe, expect, test } from 'vitest';
import { uniquePrefix } from '../../../../tests/support/prefix.ts';
import { until } from '../../../../tests/support/until.ts';
import { asked, chunk, completed, replied, working } from './support/events.ts';
import { Receiver } from './support/receiver.ts';
import { Stage, scope } from './support/stage.ts';

const numbers = (to: number): string[] => Array.from({ length: to }, (_, i) => `${i + 1}`);

describe('a webhook', () => {
  test('gets every event of its task as it is stored, in order', async () => {
    await using stage = await Stage.open();
    await using receiver = await new Receiver().open();
    const traceParent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const taskId = await stage.task({
      id: 'my hook',
      url: receiver.url,
      token: 'the-token',
      authentication: { scheme: 'Bearer', credentials: 'the-credentials' },
      traceParent,
      traceState: 'vendor=a',
    });
    const turn = await stage.begin(taskId);
    await turn.publish(working('one'));
    await turn.publish(chunk('All ', { append: false }));
    await turn.publish(chunk('is well'));
    await turn.publish(completed);
    await until(() => receiver.taken.length === 5, { what: 'five deliveries' });
    expect(receiver.marks()).toEqual(numbers(5));
    expect(
      receiver.taken.map(
        ({ event }) => (event.task ?? event.statusUpdate)?.status.state ?? event.artifactUpdate?.artifact.parts,
      ),
    ).toEqual([
      'TASK_STATE_SUBMITTED',
      'TASK_STATE_WORKING',
      [{ text: 'All ' }],
      [{ text: 'is well' }],
      'TASK_STATE_COMPLETED',
    ]);
    const [first] = receiver.taken;
    expect(first).toMatchObject({ method: 'POST', path: '/hook?key=hush' });
    expect(first?.headers).toMatchObject({
      'content-type': 'application/a2a+json',
      authorization: 'Bearer the-credentials',
      'x-a2a-notification-token': 'the-token',
      'x-a2a-delivery-id': `${taskId}:my%20hook:1`,
      traceparent: traceParent,
      tracestate: 'vendor=a',
      'user-agent': 'Switchyard',
    });
  });

  test('that is made later gets the later events', async () => {
    await using stage = await Stage.open();
    await using receiver = await new Receiver().open();
    await using other = await new Receiver().open();
    const taskId = await stage.task({ id: 'first', url: other.url });
    const turn = await stage.begin(taskId);
    await turn.publish(working('before'));
    await stage.also(taskId, { id: 'second', url: receiver.url });
    await turn.publish(working('after'));
    await until(() => other.taken.length === 3 && receiver.taken.length === 1, { what: 'both to be told' });
    expect(receiver.marks()).toEqual(['3']);
  });

  test('that is deleted gets nothing more', async () => {
    await using stage = await Stage.open();
    await using receiver = await new Receiver().open();
    await using other = await new Receiver().open();
    const taskId = await stage.task({ id: 'a', url: receiver.url });
    await stage.also(taskId, { id: 'b', url: other.url });
    await until(() => receiver.taken.length === 1, { what: 'the first delivery' });
    await stage.store.push.webhooks.delete(scope, taskId, 'a');
    await stage.cancel(taskId);
    await until(() => other.taken.length === 1, { what: 'the other to be told of the end' });
    expect(receiver.taken).toHaveLength(1);
  });

  test('does not wait for another one of the same task', async () => {
    await using stage = await Stage.open({ push: { backoffMs: 60_000 } });
    await using receiver = await new Receiver().open();
    await using broken = await new Receiver().open();
    broken.behave = () => 503;
    const taskId = await stage.task({ id: 'broken', url: broken.url });
    await stage.also(taskId, { id: 'well', url: receiver.url });
    const turn = await stage.begin(taskId);
    for (const text of ['one', 'two', 'three']) await turn.publish(working(text));
    await until(() => receiver.taken.length === 3, { what: 'three deliveries' });
    expect(broken.requests).toHaveLength(1);
  });

  test('gets a snapshot of the task where the stream no longer has the events', async () => {
    await using stage = await Stage.open({ store: { replayMs: 1 } });
    await using receiver = await new Receiver().open();
    await receiver.die();
    const taskId = await stage.task({ id: 'a', url: receiver.url });
    const turn = await stage.begin(taskId);
    await turn.publish(working('one'));
    await turn.publish(completed);
    await until(() => stage.happened('push-failed').length > 3, { what: 'some failures' });
    await receiver.open();
    await until(() => receiver.taken.length, { what: 'a delivery' });
    expect(receiver.marks()).toEqual(['3.task']);
    expect(receiver.taken[0]?.event.task).toMatchObject({
      id: taskId,
      status: { state: 'TASK_STATE_COMPLETED' },
      history: [{ role: 'ROLE_USER' }, { messageId: 'one' }],
    });
  });
});

describe('the first delivery to a webhook that came with the message of a new task', () => {
  test('is the task as it was made, however far it is, and its events follow', async () => {
    await using stage = await Stage.open();
    await using receiver = await new Receiver().open();
    const taskId = await stage.task({ id: 'a', url: receiver.url }, 60_000);
    const turn = await stage.begin(taskId);
    await turn.publish(working('one'));
    await turn.publish(completed);
    await until(() => receiver.taken.length === 3, { what: 'three deliveries' });
    expect(receiver.marks()).toEqual(numbers(3));
    expect(receiver.taken[0]?.event).toEqual({
      task: {
        id: taskId,
        contextId: taskId,
        status: { state: 'TASK_STATE_SUBMITTED', timestamp: expect.any(String) },
        history: [expect.objectContaining({ parts: [{ text: 'hello' }], taskId })],
      },
    });
  });

  test('is the plain message, where the caller got that instead of the task', async () => {
    await using stage = await Stage.open();
    await using receiver = await new Receiver().open();
    const taskId = await stage.task({ id: 'a', url: receiver.url }, 60_000);
    await (await stage.begin(taskId)).publish(replied);
    await stage.store.tasks.withdraw(scope, taskId);
    await until(() => receiver.taken.length, { what: 'a delivery' });
    expect(receiver.taken.map(({ mark, event }) => [mark, Object.keys(event)])).toEqual([['2', ['message']]]);
    expect(receiver.taken[0]?.event.message).toMatchObject({ parts: [{ text: '42' }] });
    expect(receiver.taken[0]?.event.message?.taskId).toBeUndefined();
  });

  test('is the task, where the caller keeps it although the agent answered with a plain message', async () => {
    await using stage = await Stage.open();
    await using receiver = await new Receiver().open();
    const taskId = await stage.task({ id: 'a', url: receiver.url }, 60_000);
    await (await stage.begin(taskId)).publish(replied);
    await until(() => receiver.taken.length === 2, { what: 'two deliveries' });
    expect(receiver.marks()).toEqual(['1', '2']);
    expect(receiver.taken[1]?.event.statusUpdate?.status.state).toBe('TASK_STATE_COMPLETED');
  });

  test('is the task when it was held back long enough', async () => {
    await using stage = await Stage.open();
    await using receiver = await new Receiver().open();
    await stage.task({ id: 'a', url: receiver.url }, 50);
    await until(() => receiver.taken.length, { what: 'a delivery' });
    expect(receiver.marks()).toEqual(['1']);
  });
});

describe('a webhook without chunks', () => {
  test('gets each artifact whole, with its last chunk', async () => {
    await using stage = await Stage.open({ push: { chunks: false } });
    await using receiver = await new Receiver().open();
    const taskId = await stage.task({ id: 'a', url: receiver.url });
    const turn = await stage.begin(taskId);
    await turn.publish(chunk('All ', { append: false }));
    await turn.publish(working('on it'));
    await turn.publish(chunk('is '));
    await turn.publish(chunk('well', { last: true }));
    await turn.publish(chunk('at once', { id: 'other', append: false, last: true }));
    await turn.publish(completed);
    await until(() => receiver.taken.length === 5, { what: 'five deliveries' });
    expect(receiver.marks()).toEqual(['1', '3', '5', '6', '7']);
    expect(receiver.taken[2]?.event.artifactUpdate).toMatchObject({
      taskId,
      artifact: { artifactId: 'report', parts: [{ text: 'All is well' }] },
      lastChunk: true,
    });
    expect(receiver.taken[3]?.event.artifactUpdate?.artifact.parts).toEqual([{ text: 'at once' }]);
  });

  test('gets an artifact without a last chunk before the next final or asking status', async () => {
    await using stage = await Stage.open({ push: { chunks: false } });
    await using receiver = await new Receiver().open();
    let failures = 2;
    receiver.behave = ({ mark }) => (mark === '5.1' && failures-- > 0 ? 500 : 200);
    const taskId = await stage.task({ id: 'a', url: receiver.url });
    const turn = await stage.begin(taskId);
    await turn.publish(chunk('A', { id: 'one', append: false }));
    await turn.publish(chunk('B', { id: 'two', append: false }));
    await turn.publish(chunk('a', { id: 'one' }));
    await turn.publish(asked);
    await until(() => receiver.taken.length === 4, { what: 'four deliveries' });
    expect(receiver.marks()).toEqual(['1', '5.2', '5.1', '5']);
    expect(receiver.taken.slice(1, 3).map(({ event }) => event.artifactUpdate?.artifact)).toEqual([
      { artifactId: 'two', parts: [{ text: 'B' }] },
      { artifactId: 'one', parts: [{ text: 'Aa' }] },
    ]);
    expect(receiver.requests.filter(({ mark }) => mark === '5.2')).toHaveLength(1);
  });
});

describe('a webhook of a client that speaks A2A 0.3', () => {
  test('gets the task in that version, and not for every chunk', async () => {
    await using stage = await Stage.open();
    await using receiver = await new Receiver().open();
    const taskId = await stage.task({ id: 'a', url: receiver.url, version: '0.3' });
    await until(() => receiver.taken.length === 1, { what: 'the first delivery' });
    expect(receiver.taken[0]?.headers).toMatchObject({ 'content-type': 'application/json', 'a2a-version': '0.3' });
    expect(receiver.taken[0]?.event).toMatchObject({ kind: 'task', id: taskId, status: { state: 'submitted' } });
    const turn = await stage.begin(taskId);
    for (const text of ['All ', 'is ', 'well']) await turn.publish(chunk(text));
    await turn.publish(completed);
    const last = (): unknown => receiver.taken.at(-1)?.event;
    await until(() => JSON.stringify(last()).includes('"completed"'), { what: 'word of the end' });
    expect(last()).toMatchObject({
      kind: 'task',
      status: { state: 'completed' },
      history: [{ role: 'user' }],
      artifacts: [{ artifactId: 'report', parts: [{ kind: 'text', text: 'All is well' }] }],
    });
    expect(receiver.marks()).toEqual(['1.task', '5.task']);
  });
});

describe('a webhook of a client that speaks A2A 1.1', () => {
  test.each([true, false])('gets every event with its generation, chunks too (PUSH_CHUNKS: %s)', async (chunks) => {
    await using stage = await Stage.open({ push: { chunks } });
    await using receiver = await new Receiver().open();
    const taskId = await stage.task({ id: 'a', url: receiver.url, version: '1.1' });
    const turn = await stage.begin(taskId);
    await turn.publish(working('one'));
    for (const text of ['All ', 'is ', 'well']) await turn.publish(chunk(text));
    await turn.publish(completed);
    await until(() => receiver.taken.length === 6, { what: 'six deliveries' });
    expect(receiver.taken[0]?.headers).toMatchObject({ 'a2a-version': '1.1' });
    expect(receiver.taken.map(({ event }) => generationIn(event))).toEqual(numbers(6));
  });

  test('gets the task with its generation where the stream no longer reaches back', async () => {
    const settings = { prefix: uniquePrefix(), keptEvents: 1 };
    await using before = await Stage.withoutDeliverer(settings);
    await using receiver = await new Receiver().open();
    const taskId = await before.task({ id: 'a', url: receiver.url, version: '1.1' });
    const turn = await before.begin(taskId);
    // Redis trims a stream in pieces.
    for (let i = 0; i < 300; i++) await turn.publish(chunk(`${i} `));
    await turn.publish(asked);
    await using _after = await Stage.open({ store: settings });
    await until(() => receiver.taken.length === 1, { what: 'the task' });
    expect(receiver.taken[0]?.event.task?.id).toBe(taskId);
    expect(generationIn(receiver.taken[0]?.event)).toBe('302');
  });

  test('gets a plain message as in 1.0', async () => {
    await using stage = await Stage.open();
    await using receiver = await new Receiver().open();
    const taskId = await stage.task({ id: 'a', url: receiver.url, version: '1.1' }, 5_000);
    const turn = await stage.begin(taskId);
    await turn.publish(replied);
    await stage.store.tasks.withdraw(scope, taskId);
    await until(() => receiver.taken.length === 1, { what: 'the message' });
    expect(receiver.taken[0]?.event).toMatchObject({ message: { parts: [{ text: '42' }] } });
    expect(JSON.stringify(receiver.taken[0]?.event)).not.toContain('generation');
  });
});

function generationIn(event: object | undefined): string | undefined {
  const [payload]: { readonly generation?: string }[] = Object.values(event ?? {});
  return payload?.generation;
}
