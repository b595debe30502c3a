import { expect, test } from 'vitest';
import { Shards } from '../../src/deployment/shards.ts';
import { MemoryTooLarge, type OpenTurn, type Scope, TurnFenced } from '../../src/index.ts';
import { writeMemoryScript } from '../../src/memory/memory.ts';
import { accepted, begun, userMessage } from '../support/drive.ts';
import { alice, bob, testRedis, testStore } from '../support/redis.ts';

const store = await testStore({ maxMemoryBytes: 20, retentionMs: 60_000 });
const redis = testRedis();
const shards = new Shards(store.settings.prefix, 1);

async function turnIn(contextId: string, scope: Scope = alice): Promise<OpenTurn> {
  const { taskId } = await accepted(store, scope, userMessage('hello', { contextId }));
  return begun(store, taskId);
}

test('an agent has one memory for each context and principal', async () => {
  const turn = await turnIn('one');
  expect(await store.memory.read(turn)).toEqual({ version: 0 });
  expect(await store.memory.write(turn, '"mine"')).toBe(1);
  expect(await store.memory.read(await turnIn('one'))).toEqual({ version: 1, json: '"mine"' });
  for (const other of [
    await turnIn('two'),
    await turnIn('one', bob),
    await turnIn('one', { ...alice, agent: 'other' }),
  ])
    expect(await store.memory.read(other)).toEqual({ version: 0 });
});

test('of two concurrent writes for the same version, one succeeds', async () => {
  const turns = [await turnIn('race'), await turnIn('race')];
  const versions = await Promise.all(turns.map((turn, i) => store.memory.write(turn, String(i), 0)));
  expect(versions.sort()).toEqual([1, undefined]);
});

test('a turn that was taken over cannot write the memory', async () => {
  const { taskId } = await accepted(store, alice, userMessage('hello', { contextId: 'lost' }));
  const fenced = await begun(store, taskId);
  const owner = await begun(store, taskId, { started: 2 });
  await expect(store.memory.write(fenced, '1')).rejects.toThrow(TurnFenced);
  expect(await store.memory.read(owner)).toEqual({ version: 0 });
});

test('a memory is limited to maxMemoryBytes, and expires after its last use', async () => {
  const turn = await turnIn('small');
  await expect(store.memory.write(turn, `"${'é'.repeat(10)}"`)).rejects.toThrow(MemoryTooLarge);
  await store.memory.write(turn, '1');
  const [key = ''] = await redis.keys(`${store.settings.prefix}*:k:*small`);
  await redis.pexpire(key, 1_000);
  await store.memory.read(turn);
  expect(await redis.pttl(key)).toBeGreaterThan(30_000);
});

test('a write that is sent twice is applied once, even with another write in between', async () => {
  const turn = await turnIn('twice');
  const { fence, taskId } = turn.start;
  const keys = shards.of(taskId);
  const call = (write: string, ifVersion: number, json: string) => ({
    keys: { task: keys.task(taskId), memory: keys.memory(alice, 'twice') },
    args: { fence, write, ifVersion, json, keptMs: 60_000 },
  });
  const first = call('one', 0, '1');
  const second = call('two', 1, '2');
  expect(await writeMemoryScript.run(redis, first)).toBe(1);
  expect(await writeMemoryScript.run(redis, first)).toBe(1);
  expect(await writeMemoryScript.run(redis, second)).toBe(2);
  expect(await writeMemoryScript.run(redis, first)).toBe(1);
  expect(await store.memory.read(turn)).toEqual({ version: 2, json: '2' });
});

test('the last 16 writes are stored, to recognize those that are sent twice', async () => {
  const turn = await turnIn('often');
  for (let n = 0; n < 40; n++) await store.memory.write(turn, String(n));
  const writes = await redis.hget(shards.of(turn.start.taskId).memory(alice, 'often'), 'writes');
  expect(writes?.trim().split(' ')).toHaveLength(16);
  expect(writes).toMatch(/:40$/);
});
