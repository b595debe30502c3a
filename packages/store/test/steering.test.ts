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

const ignore = (): void => undefined;

async function running(whileWorking: 'steer' | 'queue'): Promise<{ turn: OpenTurn; notified: () => number }> {
  const { taskId } = await accepted(gateway, alice);
  const hooks = { onCancel: ignore, onFenced: ignore, whileWorking };
  const turn = await begun(worker, taskId, { hooks });
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
const completed = (taken: readonly string[]) =>
  ({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true, message: agentMessage('done'), taken }) as const;

test('a running turn is notified of each steering message at once', async () => {
  const { turn, notified } = await running('steer');
  for (const [i, text] of ['left', 'right'].entries()) {
    await steer(turn, text);
    await until(() => notified() === i + 1, { what: `the turn is notified of ${text}`, timeoutMs: 2_000 });
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
  await until(() => isSteeredNotified() === 1, { what: 'the steered turn is notified', timeoutMs: 2_000 });
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
