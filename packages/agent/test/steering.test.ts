import { expect, it } from 'vitest';
import { defineAgent, RetryableError, type Turn } from '../src/index.ts';
import { runTurn } from '../src/testing/index.ts';

const card = { name: 'Pilot', description: 'Is steered.', version: '1.0.0', skills: [] };
const steered = (execute: (turn: Turn) => ReturnType<Turn['complete']>) =>
  defineAgent({ id: 'pilot', card, whileWorking: 'steer', execute });

/** Receives steering messages until one says "land". */
const pilot = steered(async (turn) => {
  const received: (string | undefined)[] = [];
  for await (const { parts } of turn.steering) {
    received.push(parts[0]?.text);
    if (received.at(-1) === 'land') return turn.complete(received.join(', '));
  }
  return turn.fail('the steering messages ended without "land"');
});

const steeredBy = (...messages: string[]) => ({ steeredBy: messages.map((message) => ({ message })) });

it('a turn receives steering messages in the order of their arrival', async () => {
  const { state, answer, untaken } = await runTurn(pilot, 'start', steeredBy('left', 'right', 'land'));
  expect([state, answer, untaken]).toEqual(['TASK_STATE_COMPLETED', 'left, right, land', []]);
});

it('a turn leaves the steering messages that it has not received to the next turn', async () => {
  const { answer, untaken } = await runTurn(pilot, 'start', steeredBy('land', 'left'));
  expect(answer).toBe('land');
  expect(untaken.map(({ parts }) => parts[0]?.text)).toEqual(['left']);
});

it('a retried turn receives all steering messages again', async () => {
  let attempts = 0;
  const failsOnce = steered(async (turn) => {
    const received: (string | undefined)[] = [];
    for await (const { parts } of turn.steering) {
      received.push(parts[0]?.text);
      if (received.length === 1 && ++attempts === 1) throw new RetryableError('again');
      if (received.at(-1) === 'land') break;
    }
    return turn.complete(received.join(', '));
  });
  const { answer, untaken } = await runTurn(failsOnce, 'start', steeredBy('left', 'land'));
  expect([attempts, answer, untaken]).toEqual([2, 'left, land', []]);
});

it('take() returns the steering messages that have arrived, each once', async () => {
  const rounds = steered(async (turn) => {
    await turn.working('first round');
    const first = await turn.steering.take();
    const none = await turn.steering.take();
    return turn.complete(`${first.length} and ${none.length}`);
  });
  const { answer } = await runTurn(rounds, 'start', { steeredBy: [{ message: 'left' }, { message: 'right' }] });
  expect(answer).toBe('2 and 0');
});

it('turn.steering throws unless whileWorking is "steer"; an unknown whileWorking is refused', async () => {
  const queueing = defineAgent({ id: 'queueing', card, execute: async (turn) => turn.complete(String(turn.steering)) });
  expect((await runTurn(queueing, 'start')).state).toBe('TASK_STATE_FAILED');
  const whileWorking = 'listen' as 'steer';
  expect(() => defineAgent({ id: 'x', card, whileWorking, execute: async (turn) => turn.complete('') })).toThrow(
    /whileWorking is "listen" and must be "queue", "steer" or "reject"/,
  );
});
