import { once } from 'node:events';
import { defineAgent } from '@switchyard/agent';
import { testGateway } from '@switchyard/cli/testing';
import { usageUri } from '@switchyard/protocol';
import { expect, inject, it } from 'vitest';
import { until } from '../support/until.ts';

// testGateway of @switchyard/cli/testing, with which authors test agents as their clients see them.

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

it('serves agents over the wire, in one process', async () => {
  await using gateway = await testGateway({ agents: [greeter, shouter], redisUrl: inject('redisUrl') });
  const asked = await gateway.send('Hi');
  expect([asked.state, asked.answer]).toEqual(['TASK_STATE_INPUT_REQUIRED', 'Who are you?']);
  const greeted = await asked.say('Ada');
  expect([greeted.task?.id, greeted.answer]).toEqual([asked.task?.id, 'Hello, Ada!']);
  const again = await greeted.newTask('Bob');
  expect([again.task?.contextId, again.answer]).toEqual([asked.task?.contextId, 'Hello, Bob!']);
  expect((await gateway.send('Ada', { agent: 'shouter' })).answer).toBe('HELLO, ADA!');
  expect((await fetch(`${gateway.agentUrl('shouter')}/.well-known/agent-card.json`)).status).toBe(200);
});

it('gives a task the event that it waits for, also before it waits', async () => {
  const buyer = defineAgent({
    id: 'buyer',
    card,
    execute: async (turn) => turn.complete(`paid ${JSON.stringify(await turn.waitFor('payment'))}`),
  });
  await using gateway = await testGateway({ agents: [buyer], redisUrl: inject('redisUrl') });
  const configuration = { returnImmediately: true };
  const sent = await gateway.send('Buy', { configuration });
  expect((await sent.give('payment', { amount: 5 })).answer).toBe('paid {"amount":5}');
  await expect(sent.give('payment')).rejects.toThrow('the event was refused (400)');
});

it('sends metadata of the request and of the message, requests their extensions, and waits for the end', async () => {
  const gate = Promise.withResolvers<void>();
  const reporter = defineAgent({
    id: 'reporter',
    card,
    execute: async (turn) => {
      await turn.acknowledge('I am on it.');
      await gate.promise;
      return turn.complete(JSON.stringify([turn.metadata, turn.message.metadata, turn.extensions]));
    },
  });
  await using gateway = await testGateway({ agents: [reporter], redisUrl: inject('redisUrl') });
  const [ofRequest, ofMessage] = [{ [usageUri]: { budget: { tokens: 5 } } }, { order: 17 }];
  const sent = await gateway.send({ parts: [{ text: 'Report' }], metadata: ofMessage }, { metadata: ofRequest });
  expect([sent.state, sent.answer]).toEqual(['TASK_STATE_WORKING', 'I am on it.']);
  gate.resolve();
  const ended = await sent.ended();
  expect(ended.state).toBe('TASK_STATE_COMPLETED');
  expect(JSON.parse(ended.answer)).toEqual([ofRequest, ofMessage, [usageUri]]);
});

it('says what a task waits for that is sent without returnImmediately, and that has no answer in time', async () => {
  const agents = [
    defineAgent({ id: 'buyer', card, execute: async (turn) => turn.complete(String(await turn.waitFor('payment'))) }),
    defineAgent({
      id: 'slow',
      card,
      execute: ({ signal }) =>
        once(signal, 'abort').then(() => {
          throw signal.reason;
        }),
    }),
  ];
  await using gateway = await testGateway({ agents, redisUrl: inject('redisUrl') });
  await expect(gateway.send('Buy')).rejects.toThrow(
    /^the task \S+ waits for the event "payment": send its message with/,
  );
  await expect(gateway.send('Work', { agent: 'slow', timeoutMs: 50 })).rejects.toThrow(
    /^the task \S+ has no answer after 50 ms \(timeoutMs\), and is TASK_STATE_(?:SUBMITTED|WORKING)$/,
  );
});

it('has a callback URL for an agent', async () => {
  const buyer = defineAgent({
    id: 'buyer',
    card,
    async execute(turn) {
      await fetch(await turn.callbackUrl('payment'), { method: 'POST', body: 'five' });
      return turn.complete(`paid ${await turn.waitFor('payment')}`);
    },
  });
  await using gateway = await testGateway({ agents: [buyer], redisUrl: inject('redisUrl') });
  expect((await gateway.send('Buy')).answer).toBe('paid five');
});

it("returns an agent's plain message without a task, and reports what an agent throws", async () => {
  const thrown: unknown[] = [];
  const oracle = defineAgent({ id: 'oracle', card, repliesWithMessage: true, execute: (turn) => turn.reply('42') });
  const broken = defineAgent({
    id: 'broken',
    card,
    execute: () => {
      throw new Error('out of order');
    },
  });
  const redisUrl = inject('redisUrl');
  await using gateway = await testGateway({
    agents: [oracle, broken],
    redisUrl,
    onError: (error) => thrown.push(error),
  });
  expect(await gateway.send('What is the answer?')).toMatchObject({ task: undefined, answer: '42' });
  expect((await gateway.send('Work', { agent: 'broken' })).state).toBe('TASK_STATE_FAILED');
  await until(() => thrown.length > 0, { what: 'the error is reported' });
  expect(thrown).toMatchObject([{ message: 'out of order' }]);
  await expect(gateway.send([])).rejects.toThrow('the message was refused (400)');
});

it('starts its own Redis by default', async () => {
  await using gateway = await testGateway({ agents: [greeter] });
  expect((await gateway.send('Ada')).answer).toBe('Hello, Ada!');
});
