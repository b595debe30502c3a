import { expect, it } from 'vitest';
import { defineAgent, RetryableError, type Turn } from '../src/index.ts';
import { runTurn } from '../src/testing/index.ts';

const card = { name: 'Pilot', description: 'Is steered.', version: '1.0.0', skills: [] };
const steered = (execute: (turn: Turn) => ReturnType<Turn['complete']>) =>
  defineAgent({ id: 'pilot', card, whileWorking: 'steer', execute });

/** Listens until it is told to land. */
const pilot = steered(async (turn) => {
  const told: (string | undefined)[] = [];
  for await (const { parts } of turn.steering) {
    told.push(parts[0]?.text);
    if (told.at(-1) === 'land') return turn.complete(told.join(', '));
  }
  return turn.fail('nobody said where to land');
});

const by = (...messages: string[]) => ({ steeredBy: messages.map((message) => ({ message })) });

it('gets the messages that come while it works, in their order', async () => {
  const { state, answer, untaken } = await runTurn(pilot, 'start', by('left', 'right', 'land'));
  expect([state, answer, untaken]).toEqual(['TASK_STATE_COMPLETED', 'left, right, land', []]);
});

it('leaves what it has not looked at to the next turn', async () => {
  const { answer, untaken } = await runTurn(pilot, 'start', by('land', 'left'));
  expect(answer).toBe('land');
  expect(untaken.map(({ parts }) => parts[0]?.text)).toEqual(['left']);
});

it('gets all of them again when it is tried again', async () => {
  let attempts = 0;
  const forgetful = steered(async (turn) => {
    const told: (string | undefined)[] = [];
    for await (const { parts } of turn.steering) {
      told.push(parts[0]?.text);
      if (told.length === 1 && ++attempts === 1) throw new RetryableError('again');
      if (told.at(-1) === 'land') break;
    }
    return turn.complete(told.join(', '));
  });
  const { answer, untaken } = await runTurn(forgetful, 'start', by('left', 'land'));
  expect([attempts, answer, untaken]).toEqual([2, 'left, land', []]);
});

it('asks for those that have come, in rounds', async () => {
  const rounds = steered(async (turn) => {
    await turn.working('first round');
    const first = await turn.steering.take();
    const none = await turn.steering.take();
    return turn.complete(`${first.length} and ${none.length}`);
  });
  const { answer } = await runTurn(rounds, 'start', { steeredBy: [{ message: 'left' }, { message: 'right' }] });
  expect(answer).toBe('2 and 0');
});

it('is told when nobody steers it, and when its definition is none', async () => {
  const deaf = defineAgent({ id: 'deaf', card, execute: async (turn) => turn.complete(String(turn.steering)) });
  expect((await runTurn(deaf, 'start')).state).toBe('TASK_STATE_FAILED');
  const whileWorking = 'listen' as 'steer';
  expect(() => defineAgent({ id: 'x', card, whileWorking, execute: async (turn) => turn.complete('') })).toThrow(
    /whileWorking is "listen" and must be "queue", "steer" or "reject"/,
  );
});
