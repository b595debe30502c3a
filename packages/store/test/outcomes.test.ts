import type { Task, TurnEvent } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import type { OpenTurn, Store } from '../src/index.ts';
import { accepted, agentMessage, begun } from './support/drive.ts';
import { alice, testLedger, testRedis, testStore } from './support/redis.ts';

const redis = testRedis();
const completed: TurnEvent = { kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true };

async function turns(store: Store, count: number): Promise<OpenTurn[]> {
  const tasks = await Promise.all(Array.from({ length: count }, () => accepted(store, alice)));
  return Promise.all(tasks.map(({ taskId }) => begun(store, taskId)));
}

test('concurrent outcomes are written by one script call for up to sixteen of them', async () => {
  const ledger = await testLedger();
  const [first, ...all] = await turns(await testStore({ redisUrl: ledger.url }), 41);
  await first?.publish(completed); // loads the script into Redis
  const { commands } = await ledger.during(() => Promise.all(all.map((turn) => turn.publish(completed))));
  expect(commands).toEqual(['evalsha', 'evalsha', 'evalsha']);
  expect(all.map(({ ending }) => ending)).toEqual(all.map(() => 'idle'));
});

test('an outcome that cannot be written does not affect the others of its script call', async () => {
  const store = await testStore();
  const all = await turns(store, 4);
  const [broken] = all;
  await redis.set(`${store.settings.prefix}{s0}:t:${broken?.start.taskId}`, 'no hash');
  const ends = await Promise.allSettled(all.map((turn) => turn.publish(completed)));
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
  expect(all.map(({ ending }) => ending)).toEqual([undefined, 'idle', 'idle', 'idle']);
  for (const { start } of all.slice(1)) {
    const state = await redis.hget(`${store.settings.prefix}{s0}:t:${start.taskId}`, 'state');
    expect(state).toBe('C');
  }
});

test('an outcome of a run that has lost its task is refused, also beside that of the run that has it', async () => {
  const store = await testStore();
  const [lost] = await turns(store, 1);
  if (!lost) throw new Error('no turn began');
  const turn = await begun(store, lost.start.taskId, { started: 2 });
  const ends = await Promise.allSettled([lost, turn].map((each) => each.publish(completed)));
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect([lost.ending, turn.ending]).toEqual(['fenced', 'idle']);
});

test('the outcomes before one that cannot be written leave the outbox and move in the indexes, too', async () => {
  const store = await testStore();
  const { prefix } = store.settings;
  const all = await turns(store, 4);
  const broken = all.at(-1)?.start.taskId;
  await redis.set(`${prefix}{s0}:t:${broken}`, 'no hash');
  const ends = await Promise.allSettled(all.map((turn) => turn.publish(completed)));
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
  expect(await redis.zrange(`${prefix}{s0}:outbox`, '0', '-1')).toEqual([broken]);
  for (const { start } of all.slice(0, -1))
    expect(await redis.hget(`${prefix}{s0}:t:${start.taskId}`, 'state')).toBe('C');
  for (const [index, open] of Object.entries({ 'x:acme/alice/echo': 's', 'a:echo': 'o' })) {
    const entries = await redis.zrange(`${prefix}{s0}:${index}`, '0', '-1');
    expect(entries.map(([letter]) => letter)).toEqual(['C', 'C', 'C', open]);
  }
});

test.each([
  { of: 'short', text: 'yes' },
  { of: 'long', text: 'yes'.repeat(2_000) },
])('a $of answer is stored once: the status of an ended task has its message from the history', async ({ text }) => {
  const store = await testStore();
  const [turn] = await turns(store, 1);
  const message = agentMessage(text, 'answer');
  await turn?.publish({ ...completed, message });
  const record = await redis.hgetall(`${store.settings.prefix}{s0}:t:${turn?.start.taskId}`);
  const history = record.h ?? (await redis.get(record['@h'] ?? ''));
  expect(history?.slice(-Number(record.status))).toContain('"messageId":"answer"');
  expect(JSON.stringify(record).split('yes').length + (record.h ? 0 : 1)).toBe(2);
  const reading = await store.tasks.read(alice, turn?.start.taskId ?? '');
  const task: Task = JSON.parse(String(reading?.task));
  expect(task.status).toMatchObject({ state: 'TASK_STATE_COMPLETED', message: { parts: [{ text }] } });
  expect(Date.parse(task.status.timestamp ?? '').toString(36)).toBe(record.time);
});

test('a status that repeats an earlier message has this message, and not the last one', async () => {
  const store = await testStore();
  const [turn] = await turns(store, 1);
  const working = { kind: 'status', state: 'TASK_STATE_WORKING', settles: false } as const;
  const first = agentMessage('first', 'first');
  await turn?.publish({ ...working, message: first });
  await turn?.publish({ ...working, message: agentMessage('second', 'second') });
  await turn?.publish({ ...completed, message: first });
  const reading = await store.tasks.read(alice, turn?.start.taskId ?? '');
  const task: Task = JSON.parse(String(reading?.task));
  expect(task.status.message?.messageId).toBe('first');
  expect(task.history?.map(({ messageId }) => messageId).slice(1)).toEqual(['first', 'second']);
});
