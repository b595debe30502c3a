import { randomUUID } from 'node:crypto';
import { type Agent, type AgentDefinition, defineAgent } from '@switchyard/agent';
import { type Message, skillUri } from '@switchyard/protocol';
import { type Acceptance, Store } from '@switchyard/store';
import { afterEach, expect, inject, test } from 'vitest';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { until } from '../../../tests/support/until.ts';
import { Worker } from '../src/index.ts';

const skill = (id: string) => ({ id, name: id, description: id, tags: [] });
const card = { name: 'Shop', description: 'Prints.', version: '1.0.0', skills: [skill('print'), skill('bind')] };
const shop = (more: Partial<AgentDefinition> = {}): Agent =>
  defineAgent({ id: 'shop', card, execute: (turn) => turn.complete(turn.skill ?? 'none'), ...more });
const scope = { principal: { tenant: 'acme', subject: 'alice', scopes: [] }, agent: 'shop' };
const message = (more: Partial<Message> = {}): Message => ({
  messageId: randomUUID(),
  role: 'ROLE_USER',
  parts: [{ text: 'hello' }],
  ...more,
});
const running: (Worker | Store)[] = [];

afterEach(async () => {
  for (const one of running.splice(0).reverse()) await one.stop();
});

async function openStore(prefix: string): Promise<Store> {
  const store = new Store({ redisUrl: inject('redisUrl'), prefix }, () => undefined);
  running.push(store);
  await store.start();
  return store;
}

async function openWorker(prefix: string, ...agents: Agent[]): Promise<Worker> {
  const store = await openStore(prefix);
  const worker = new Worker({ drainMs: 0, sweepEveryMs: 200 }, { store, agents, emit: () => undefined });
  running.push(worker);
  await worker.start();
  return worker;
}

async function answerTo(store: Store, acceptance: Acceptance, of = scope): Promise<string | undefined> {
  if (acceptance.verdict !== 'accepted') throw new Error(acceptance.verdict);
  return until(
    async () => {
      const reading = await store.tasks.read(of, acceptance.taskId);
      const { status } = JSON.parse(reading?.task?.toString() ?? '{}');
      return status?.state === 'TASK_STATE_COMPLETED' && status.message.parts[0].text;
    },
    { what: 'the task is completed' },
  );
}

test('tasks in the queue of a skill run although the skill has lost its queue, also after two restarts', async () => {
  const prefix = uniquePrefix();
  const store = await openStore(prefix);
  await (await openWorker(prefix, shop({ skillConcurrency: { print: 2 } }))).stop();
  expect((await store.registry.find('shop'))?.skillQueues).toEqual({ print: 2 });
  const named = { message: message(), skill: { id: 'print', hasQueue: true } };
  for (let start = 0; start < 2; start++) {
    const left = await store.tasks.accept(scope, { ...named, message: message() });
    const worker = await openWorker(prefix, shop());
    expect(await answerTo(store, left)).toBe('print');
    expect((await store.registry.find('shop'))?.skillQueues).toEqual({ print: 0 });
    await worker.stop();
  }
});

test('a call that names a skill of the called agent enters the queue of that skill', async () => {
  const prefix = uniquePrefix();
  const store = await openStore(prefix);
  const client = defineAgent({
    id: 'client',
    card: { ...card, skills: [] },
    async execute(turn) {
      const metadata = { [skillUri]: { skill: turn.text } };
      const reply = await turn.call('shop', { parts: [{ text: 'hello' }], metadata });
      return turn.complete(reply.text);
    },
  });
  await openWorker(prefix, shop({ skillConcurrency: { print: 1 } }), client);
  const called = { ...scope, agent: 'client' };
  for (const [named, answered] of [
    ['print', 'print'],
    ['bind', 'bind'],
    ['fly', 'none'],
  ] as const) {
    const acceptance = await store.tasks.accept(called, { message: message({ parts: [{ text: named }] }) });
    expect(await answerTo(store, acceptance, called)).toBe(answered);
  }
  expect(await store.queue.isUsed('shop~print')).toBe(true);
});
