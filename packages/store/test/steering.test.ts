import { expect, test } from 'vitest';
import { textOf } from '../../../tests/support/messages.ts';
import { until } from '../../../tests/support/until.ts';
import type { OpenTurn } from '../src/index.ts';
import { accepted, agentMessage, begun, userMessage } from './support/drive.ts';
import { alice, testStore } from './support/redis.ts';

// Messages that steer a running turn, with two stores: that of the gateway, and that of the worker.

const gateway = await testStore();
const worker = await testStore({ prefix: gateway.settings.prefix });

await worker.turns.listen();

async function running(whileWorking: 'steer' | 'queue'): Promise<{ turn: OpenTurn; notified: () => number }> {
  const { taskId } = await accepted(gateway, alice);
  const turn = await begun(worker, taskId, { whileWorking });
  let notifications = 0;
  turn.onWaiting(() => {
    notifications++;
  });
  return { turn, notified: () => notifications };
}

const steer = async ({ start }: OpenTurn, text: string): Promise<string> => {
  const message = userMessage(text, { taskId: start.taskId });
  await accepted(gateway, alice, message);
  return message.messageId;
};
const completed = (delivered: readonly string[]) =>
  ({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true, message: agentMessage('done'), delivered }) as const;

test('a running turn is notified of each steering message at once', async () => {
  const { turn, notified } = await running('steer');
  for (const [i, text] of ['left', 'right'].entries()) {
    await steer(turn, text);
    await until(() => notified() === i + 1, { what: `the turn is notified of ${text}` });
  }
  expect((await turn.waiting(0)).map(textOf)).toEqual(['left', 'right']);
  expect((await turn.waiting(1)).map(textOf)).toEqual(['right']);
});

test('a turn of an agent that queues messages is not notified', async () => {
  const [{ turn: queuing, notified }, { turn: steered, notified: isSteeredNotified }] = [
    await running('queue'),
    await running('steer'),
  ];
  await steer(queuing, 'left');
  await steer(steered, 'left');
  await until(() => isSteeredNotified() === 1, { what: 'the steered turn is notified' });
  expect(notified()).toBe(0);
});

test('an outcome answers the steering messages that it names; the others run in the next turn', async () => {
  const { turn } = await running('steer');
  const left = await steer(turn, 'left');
  await steer(turn, 'right');
  await turn.publish(completed([left]));
  expect(turn.ending).toBe('more');
  const next = await begun(worker, turn.start.taskId, { turnsBefore: 1 });
  expect(textOf(next.start.message)).toBe('right');
  await next.publish(completed([]));
  expect(next.ending).toBe('idle');
});

test('messages that a running turn was given do not wait: others are accepted in their place', async () => {
  const small = await testStore({ prefix: gateway.settings.prefix, maxInbox: 3 });
  const { turn } = await running('steer');
  const { taskId } = turn.start;
  const verdict = async (text: string): Promise<string> =>
    (await small.tasks.accept(alice, { message: userMessage(text, { taskId }) })).verdict;
  expect([await verdict('left'), await verdict('right'), await verdict('up')]).toEqual([
    'accepted',
    'accepted',
    'inbox-full',
  ]);
  expect((await turn.waiting(0)).map(textOf)).toEqual(['left', 'right']);
  expect([await verdict('up'), await verdict('down'), await verdict('back')]).toEqual([
    'accepted',
    'accepted',
    'inbox-full',
  ]);
  await turn.handBack(false);
  expect(await verdict('back')).toBe('inbox-full');
});

test('a turn that is given many messages does not make the inbox of its task grow without a limit', async () => {
  const small = await testStore({ prefix: gateway.settings.prefix, maxInbox: 2 });
  const { turn } = await running('steer');
  const { taskId } = turn.start;
  const verdicts: string[] = [];
  for (let given = 0; given < 20; given++) {
    await turn.waiting(0);
    verdicts.push((await small.tasks.accept(alice, { message: userMessage('more', { taskId }) })).verdict);
  }
  expect(verdicts.filter((verdict) => verdict === 'accepted')).toHaveLength(15);
});
