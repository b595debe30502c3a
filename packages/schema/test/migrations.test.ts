import { createConnections } from '@switchyard/redis';
import { afterAll, expect, test } from 'vitest';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { testRedis } from '../../../tests/support/store/redis.ts';
import { type Migration, type MigrationEvent, Migrator } from '../src/migrator.ts';
import { Schema } from '../src/schema.ts';

const redis = testRedis();
const { commands } = createConnections(
  { redisUrl: `redis://${redis.options.host}:${redis.options.port}` },
  { isReplicated: false },
);
afterAll(() => commands.disconnect());

/** Every letter of a list becomes a capital, each in a step of its own. */
const capitals = (key: string): Migration => ({
  version: 2,
  what: 'write letters as capitals',
  run: async (onProgress) => {
    const letters = await redis.lrange(key, 0, -1);
    for (const [i, letter] of letters.entries()) {
      await redis.lset(key, i, letter.toUpperCase());
      await onProgress(i + 1);
    }
  },
});

const never = new AbortController().signal;
let count = 0;

/** A program that knows version 2 of the schema, and the migration to it. */
function newProgram(prefix: string) {
  const processId = `host-${++count}`;
  const known = { version: 2, oldest: 1, needs: 1 };
  const schema = new Schema(commands, { prefix, shards: 1, program: processId }, known);
  const port = { redis: commands, schema, prefix, processId };
  const migrator = new Migrator(port, [capitals(`${prefix}letters`)], 2);
  const migrate = async (signal = never): Promise<MigrationEvent[]> => {
    const events: MigrationEvent[] = [];
    await migrator.run((event) => events.push(event), signal);
    return events;
  };
  return { schema, migrator, migrate };
}

/** A deployment of version 1, in which a program of that version runs until it leaves. */
async function oldDeployment() {
  const prefix = uniquePrefix();
  const old = new Schema(commands, { prefix, shards: 1, program: 'old' }, { version: 1, oldest: 1, needs: 1 });
  await old.register();
  await redis.rpush(`${prefix}letters`, 'a', 'b', 'c');
  return { prefix, old, letters: async () => (await redis.lrange(`${prefix}letters`, 0, -1)).join('') };
}

test('a migration runs once, when no process of an older release runs any more', async () => {
  const { prefix, old, letters } = await oldDeployment();
  const { schema, migrate } = newProgram(prefix);
  expect(await schema.register()).toMatchObject({ version: 2, migrated: 1 });
  expect(await migrate()).toEqual([{ kind: 'migration-waits', reason: 'older programs still run: old' }]);
  expect(await migrate()).toEqual([]);
  expect(await letters()).toBe('abc');
  await old.leave(commands);
  expect((await migrate()).map(({ kind }) => kind)).toEqual(['migration-began', 'migration-done']);
  expect(await letters()).toBe('ABC');
  expect(schema.latest).toMatchObject({ version: 2, migrated: 2 });
  expect(await migrate()).toEqual([]);
});

test('an interrupted migration is run again by any process', async () => {
  const { prefix, old, letters } = await oldDeployment();
  await old.leave(commands);
  const [first, second] = [newProgram(prefix), newProgram(prefix)];
  await first.schema.register();
  const stopped = new AbortController();
  stopped.abort(new Error('the worker stops'));
  await expect(first.migrate(stopped.signal)).rejects.toThrow('the worker stops');
  expect(await letters()).toBe('Abc');
  expect((await second.schema.register()).migrated).toBe(1);
  await second.migrate();
  expect(await letters()).toBe('ABC');
});

test('one process at a time migrates', async () => {
  const { prefix, old } = await oldDeployment();
  await old.leave(commands);
  const [first, second] = [newProgram(prefix), newProgram(prefix)];
  await first.schema.register();
  await first.migrator.lock.hold();
  // As if the lock had expired because its holder was frozen.
  await redis.del(`${prefix}{agents}:schema:lock`);
  await second.migrator.lock.hold();
  await first.migrator.lock.release();
  expect(await first.migrate()).toEqual([]);
  await second.migrator.lock.release();
  expect(await first.migrate()).toHaveLength(2);
});

test('a migration runs again after a process of an older release has run again', async () => {
  const { prefix, old, letters } = await oldDeployment();
  await old.leave(commands);
  const { schema, migrate } = newProgram(prefix);
  await schema.register();
  await migrate();
  await old.register();
  expect(await schema.register()).toMatchObject({ migrated: 1 });
  await redis.rpush(`${prefix}letters`, 'd');
  await old.leave(commands);
  await migrate();
  expect(await letters()).toBe('ABCD');
});
