import { defineAgent } from '@switchyard/agent';
import { expect, inject, it } from 'vitest';
import { textOf } from '../support/messages.ts';
import { testGateway } from '../support/test-gateway.ts';

// What an agent's author uses to test an agent as its clients see it.

const card = { name: 'Greeter', description: 'Greets.', version: '1.0.0', skills: [] };
const greeter = defineAgent({
  id: 'greeter',
  card,
  execute: (turn) => (turn.text === 'Hi' ? turn.requireInput('Who are you?') : turn.complete(`Hello, ${turn.text}!`)),
});
const shouter = defineAgent({
  id: 'shouter',
  card,
  execute: async (turn) => turn.complete((await turn.call('greeter', turn.text)).text.toUpperCase()),
});

it('serves the agents of a test over the wire, in one process', async () => {
  await using gateway = await testGateway([greeter, shouter], { redisUrl: inject('redisUrl') });
  const asked = await gateway.say('Hi');
  expect(textOf(asked.status.message)).toBe('Who are you?');
  const task = await gateway.say('Ada', { task: asked });
  expect([task.id, textOf(task.status.message)]).toEqual([asked.id, 'Hello, Ada!']);
  expect(textOf((await gateway.say('Ada', { agent: 'shouter' })).status.message)).toBe('HELLO, ADA!');
  expect((await fetch(`${gateway.agentUrl('shouter')}/.well-known/agent-card.json`)).status).toBe(200);
});

it('brings a Redis of its own when it is given none', async () => {
  await using gateway = await testGateway([greeter]);
  expect(textOf((await gateway.say('Ada')).status.message)).toBe('Hello, Ada!');
});
