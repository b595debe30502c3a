import { Conversation } from '@switchyard/agent/testing';
import { expect, it } from 'vitest';
import agent from '../agent.ts';

it('takes an order over as many turns as it takes', async () => {
  const conversation = new Conversation(agent);
  expect((await conversation.say('I want a pizza')).answer).toBe('What kind?');
  expect((await conversation.say('I do not know')).answer).toBe('We have Hawaiian, Margherita, Funghi.');
  const { answer, task } = await conversation.say('The one with pineapple');
  expect([answer, task.status.state]).toEqual(['Your Hawaiian pizza is on its way.', 'TASK_STATE_COMPLETED']);
  expect(task.artifacts).toMatchObject([{ artifactId: 'receipt', parts: [{ data: { pizza: 'Hawaiian', price: 9 } }] }]);
});
