import { runTurn } from '@switchyard/agent/testing';
import { expect, it } from 'vitest';
import agent from '../agent.ts';

it('takes an order over several turns', async () => {
  const first = await runTurn(agent, 'I want a pizza');
  expect(first.answer).toBe('What kind?');
  const second = await first.say('I do not know');
  expect(second.answer).toBe('We have Hawaiian, Margherita, Funghi.');
  const { answer, task } = await second.say('The one with pineapple');
  expect([answer, task.status.state]).toEqual(['Your Hawaiian pizza is on its way.', 'TASK_STATE_COMPLETED']);
  expect(task.artifacts).toMatchObject([{ artifactId: 'receipt', parts: [{ data: { pizza: 'Hawaiian', price: 9 } }] }]);
});
