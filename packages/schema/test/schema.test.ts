import { createConnections, RedisUnusable } from '@switchyard/redis';
import { afterAll, expect, test } from 'vitest';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { testRedis, testStore } from '../../../tests/support/store/redis.ts';
import { Schema } from '../src/schema.ts';
import type { KnownSchema } from '../src/version.ts';

const redis = testRedis();
const { commands } = createConnections(
  { redisUrl: `redis://${redis.options.host}:${redis.options.port}` },
  { isReplicated: false },
);
afterAll(() => commands.disconnect());

const first: KnownSchema = { version: 1, oldest: 1, needs: 1 };
/** A schema that the first cannot read. */
const second: KnownSchema = { version: 2, oldest: 2, needs: 1 };

let count = 0;
function program(prefix: string, known: KnownSchema, shards = 1): Schema {
  return new Schema(commands, { prefix, shards, program: `host-${++count}`, heartbeatMs: 100 }, known);
}

test('an empty Redis gets the newest schema version', async () => {
  expect(await program(uniquePrefix(), second).register()).toMatchObject({ version: 2, oldest: 2, migrated: 2 });
});

test('a process that is too old for the schema is refused with both versions and a remedy', async () => {
  const prefix = uniquePrefix();
  await program(prefix, { ...second, version: 7, oldest: 5 }).register();
  const before = await redis.hgetall(`${prefix}{agents}:schema`);
  const refused = program(prefix, first).register();
  await expect(refused).rejects.toThrow(RedisUnusable);
  await expect(refused).rejects.toThrow(/\(schema 7\): programs must know schema 5, .* knows 1\. .*restore a backup/s);
  expect(await redis.hgetall(`${prefix}{agents}:schema`)).toEqual(before);
  expect(await redis.zcard(`${prefix}{agents}:schema:programs`)).toBe(1);
});

test('a store of this release refuses a Redis that a later release has taken over', async () => {
  const prefix = uniquePrefix();
  await redis.hset(`${prefix}{agents}:schema`, { version: 9, oldest: 9, migrated: 9, release: 'Switchyard 9.0.0' });
  await expect(testStore({ prefix })).rejects.toThrow(/Switchyard 9\.0\.0 took this Redis over/);
});

test('a process of an older release may run beside a newer one if it can read its schema', async () => {
  const prefix = uniquePrefix();
  await program(prefix, first).register();
  await program(prefix, { ...first, version: 2 }).register();
  expect(await program(prefix, first).register()).toMatchObject({ version: 2, oldest: 1, migrated: 1 });
});

test('a process is refused while running processes of an older release could not read its schema', async () => {
  const prefix = uniquePrefix();
  const old = program(prefix, first);
  await old.register();
  await expect(program(prefix, second).register()).rejects.toThrow(/host-\d+ knows 1.*Replace them/s);
  expect(await redis.hget(`${prefix}{agents}:schema`, 'version')).toBe('1');
  await old.leave(commands);
  expect(await program(prefix, second).register()).toMatchObject({ version: 2, oldest: 2 });
});

test('a process is refused while data that it cannot read is not migrated', async () => {
  const prefix = uniquePrefix();
  const old = program(prefix, first);
  await old.register();
  await old.leave(commands);
  await expect(program(prefix, { ...second, needs: 2 }).register()).rejects.toThrow(
    /migrated up to version 1.*needs version 2/s,
  );
});

test('a running process is notified when a later release has made it too old', async () => {
  const prefix = uniquePrefix();
  const old = program(prefix, first);
  await old.register();
  // As if the old process had been frozen for so long that it no longer counts as running.
  await redis.del(`${prefix}{agents}:schema:programs`);
  await program(prefix, second).register();
  const refusal = await new Promise<RedisUnusable>((resolve, reject) => old.follow(resolve, reject));
  expect(refusal.message).toMatch(/schema 2/);
});

test('visit checks the schema without changing anything', async () => {
  const prefix = uniquePrefix();
  expect(await program(prefix, second).read()).toMatchObject({ release: '', programs: [] });
  expect(await redis.keys(`${prefix}*`)).toEqual([]);
  await redis.hset(`${prefix}{agents}:schema`, { version: 2, oldest: 2, migrated: 2 });
  await expect(program(prefix, first).read()).rejects.toThrow(RedisUnusable);
});

test('the schema version and the number of shards are written again after FLUSHALL', async () => {
  const prefix = uniquePrefix();
  const running = program(prefix, first, 2);
  await running.register();
  await redis.del(`${prefix}{agents}:shards`, `${prefix}{agents}:schema`);
  await running.register();
  expect(await redis.get(`${prefix}{agents}:shards`)).toBe('2 spread');
  expect(await redis.hget(`${prefix}{agents}:schema`, 'version')).toBe('1');
});
