import { expect, test } from 'vitest';
import { textOf } from '../../../tests/support/messages.ts';
import { until } from '../../../tests/support/until.ts';
import type { OpenTurn } from '../src/index.ts';
import { accepted, agentMessage, begun, userMessage } from './support/drive.ts';
import { alice, testStore } from './support/redis.ts';

// Messages that steer a running turn, on a store of two processes: the one that accepts, and the one that runs it.

const gateway = await testStore();
const worker = await testStore({ prefix: gateway.settings.prefix });

await worker.turns.listen();

const ignore = (): void => undefined;

async function running(whileWorking: 'steer' | 'queue'): Promise<{ turn: OpenTurn; looks: () => number }> {
  const { taskId } = await accepted(gateway, alice);
  const hooks = { onCancel: ignore, onFenced: ignore, whileWorking };
  const turn = await begun(worker, taskId, { hooks });
  let looks = 0;
  turn.onWaiting(() => {
    looks++;
  });
  return { turn, looks: () => looks };
}

const tell = async ({ start }: OpenTurn, text: string): Promise<string> => {
  const message = userMessage(text, { taskId: start.taskId });
  await accepted(gateway, alice, message);
  return message.messageId;
};
const completed = (taken: readonly string[]) =>
  ({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true, message: agentMessage('done'), taken }) as const;

test('a running turn is told of each at once, without asking for it', async () => {
  const { turn, looks } = await running('steer');
  for (const [i, text] of ['left', 'right'].entries()) {
    await tell(turn, text);
    await until(() => looks() === i + 1, { what: `the turn is told of ${text}`, timeoutMs: 2_000 });
  }
  expect((await turn.waiting(0)).map(textOf)).toEqual(['left', 'right']);
  expect((await turn.waiting(1)).map(textOf)).toEqual(['right']);
});

test('a turn of an agent that queues is told of none', async () => {
  const [{ turn: queuing, looks }, { turn: steered, looks: looksOfSteered }] = [
    await running('queue'),
    await running('steer'),
  ];
  await tell(queuing, 'left');
  await tell(steered, 'left');
  await until(() => looksOfSteered() === 1, { what: 'the other turn is told', timeoutMs: 2_000 });
  expect(looks()).toBe(0);
});

test('what an outcome names is answered by it; what it does not name runs next', async () => {
  const { turn } = await running('steer');
  const left = await tell(turn, 'left');
  await tell(turn, 'right');
  await turn.publish(completed([left]));
  expect(turn.ending).toBe('more');
  const next = await begun(worker, turn.start.taskId, { turnsBefore: 1 });
  expect(textOf(next.start.message)).toBe('right');
  await next.publish(completed([]));
  expect(next.ending).toBe('idle');
});
