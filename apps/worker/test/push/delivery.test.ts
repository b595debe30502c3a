import { Webhooks } from '@switchyard/push';
import { describe, expect, test } from 'vitest';
import { uniquePrefix } from '../../../../tests/support/prefix.ts';
import { until } from '../../../../tests/support/until.ts';
import { asked, chunk, completed, replied, working } from './support/events.ts';
import { Receiver } from './support/receiver.ts';
import { Stage, scope } from './support/stage.ts';

const numbers = (to: number): string[] => Array.from({ length: to }, (_, i) => `${i + 1}`);

describe('a webhook', () => {
  test('receives every event of its task in order, with its token, credentials and trace headers', async () => {
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

  test('created during a turn receives only the later events', async () => {
    await using stage = await Stage.open();
    await using receiver = await new Receiver().open();
    await using other = await new Receiver().open();
    const taskId = await stage.task({ id: 'first', url: other.url });
    const turn = await stage.begin(taskId);
    await turn.publish(working('before'));
    await stage.also(taskId, { id: 'second', url: receiver.url });
    await turn.publish(working('after'));
    await until(() => other.taken.length === 3 && receiver.taken.length === 1, { what: 'deliveries to both' });
    expect(receiver.marks()).toEqual(['3']);
  });

  test('receives nothing after it was deleted', async () => {
    await using stage = await Stage.open();
    await using receiver = await new Receiver().open();
    await using other = await new Receiver().open();
    const taskId = await stage.task({ id: 'a', url: receiver.url });
    await stage.also(taskId, { id: 'b', url: other.url });
    await until(() => receiver.taken.length === 1, { what: 'the first delivery' });
    await new Webhooks(stage.store.inside).delete(scope, taskId, 'a');
    await stage.cancel(taskId);
    await until(() => other.taken.length === 1, { what: 'the delivery of the end to the other webhook' });
    expect(receiver.taken).toHaveLength(1);
  });

  test('does not wait for a failing webhook of the same task', async () => {
    await using stage = await Stage.open({ push: { backoffMs: 60_000 } });
    await using receiver = await new Receiver().open();
    await using broken = await new Receiver().open();
    broken.behave = () => 503;
    const taskId = await stage.task({ id: 'broken', url: broken.url });
    await stage.also(taskId, { id: 'healthy', url: receiver.url });
    const turn = await stage.begin(taskId);
    for (const text of ['one', 'two', 'three']) await turn.publish(working(text));
    await until(() => receiver.taken.length === 3, { what: 'three deliveries' });
    expect(broken.requests).toHaveLength(1);
  });

  test('receives a snapshot of the task if its events are no longer in the stream', async () => {
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

describe('the first delivery to a webhook that was given with the first message of a task', () => {
  test('is the submitted task, even if the task has already ended; all its events follow', async () => {
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

  test('is the plain message if the caller received that message instead of a task', async () => {
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

  test('is the task if the caller keeps the task although the agent answered with a plain message', async () => {
    await using stage = await Stage.open();
    await using receiver = await new Receiver().open();
    const taskId = await stage.task({ id: 'a', url: receiver.url }, 60_000);
    await (await stage.begin(taskId)).publish(replied);
    await until(() => receiver.taken.length === 2, { what: 'two deliveries' });
    expect(receiver.marks()).toEqual(['1', '2']);
    expect(receiver.taken[1]?.event.statusUpdate?.status.state).toBe('TASK_STATE_COMPLETED');
  });

  test('is the submitted task when its hold time ends without an event of the agent', async () => {
    await using stage = await Stage.open();
    await using receiver = await new Receiver().open();
    await stage.task({ id: 'a', url: receiver.url }, 50);
    await until(() => receiver.taken.length, { what: 'a delivery' });
    expect(receiver.marks()).toEqual(['1']);
  });
});

describe('with PUSH_CHUNKS off, a webhook', () => {
  test('receives each artifact whole, when its last chunk is published', async () => {
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

  test('receives an artifact without a last chunk before the next terminal or input-required status', async () => {
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
  test('receives 0.3 tasks, not one per chunk', async () => {
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
    await until(() => JSON.stringify(last()).includes('"completed"'), { what: 'the delivery of the completed task' });
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
  test.each([true, false])('receives every event and chunk with its generation (PUSH_CHUNKS: %s)', async (chunks) => {
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

  test('receives a snapshot with its generation if the stream was trimmed', async () => {
    const settings = { prefix: uniquePrefix(), keptEvents: 1 };
    await using before = await Stage.withoutDeliverer(settings);
    await using receiver = await new Receiver().open();
    const taskId = await before.task({ id: 'a', url: receiver.url, version: '1.1' });
    const turn = await before.begin(taskId);
    // Redis trims a stream in whole nodes, so that one kept event needs many published ones.
    for (let i = 0; i < 300; i++) await turn.publish(chunk(`${i} `));
    await turn.publish(asked);
    await using _after = await Stage.open({ store: settings });
    await until(() => receiver.taken.length === 1, { what: 'the task' });
    expect(receiver.taken[0]?.event.task?.id).toBe(taskId);
    expect(generationIn(receiver.taken[0]?.event)).toBe('302');
  });

  test('receives a plain message without a generation, as in 1.0', async () => {
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
