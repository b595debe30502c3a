import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startRedis, type TestRedis } from '../../../../tests/support/redis.ts';
import '@switchyard/operators';
import '../../src/index.ts';
import { definedScripts, withIncludes } from '@switchyard/redis';

// With any content of keys and any arguments a script replies or fails in time, and writes only keys of its shard.

const source = fileURLToPath(new URL('../../src/', import.meta.url));
const runs = Number(process.env.FUZZ_RUNS ?? 15);
const seed = Number(process.env.FUZZ_SEED ?? 1);
const root = 'fuzz{1}:';
/** Measured by Redis: far more than any script takes, far less than an endless loop. */
const MAX_MICROSECONDS = 500_000;

let server: TestRedis;
let redis: Redis;
beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url, { commandTimeout: 10_000 });
  await redis.config('SET', 'slowlog-log-slower-than', String(MAX_MICROSECONDS));
});
afterAll(async () => {
  redis.disconnect();
  await server.kill();
});

const odd = fc.constantFrom(
  ...['', '0', '1', '-1', '2', '100', 'NaN', 'inf', '-inf', '1e308', '-1e308', '9007199254740993', '0x10', '1.5', ' 1'],
  ...['x', 'x'.repeat(65_536), 'a\nb', 'a:b', '1-1', '*', '%', '\u0000', 'null', '[]', '{}', '{"a":1}', '[1,"a"]', '{'],
  ...['TASK_STATE_WORKING', 'TASK_STATE_COMPLETED', `${root}2`, '2020-01-01T00:00:00.000Z'],
);
const argument = fc.oneof({ weight: 6, arbitrary: odd }, { weight: 1, arbitrary: fc.string({ unit: 'binary' }) });

/** The content of a key: none, or a value of the right or of another type. */
type Content = readonly [command: string, ...values: string[]] | undefined;
const content: fc.Arbitrary<Content> = fc.oneof(
  fc.constant(undefined),
  fc.tuple(fc.constant('SET'), argument),
  fc.tuple(fc.constant('HSET'), fc.constantFrom('state', 'seq', 'task', 'owner', 'x'), argument),
  fc.tuple(fc.constant('RPUSH'), argument),
  fc.tuple(fc.constant('SADD'), argument),
  fc.tuple(fc.constant('ZADD'), fc.constantFrom('0', '-1', '1e308', '1'), argument),
  fc.tuple(fc.constant('XADD'), fc.constantFrom('1-1', '5-0'), fc.constant('e'), argument),
);

const scripts = definedScripts.map((definition) => {
  const url = new URL(definition.file, definition.from);
  return { name: relative(source, fileURLToPath(url)), url, definition };
});

describe('with arbitrary keys and arguments', () => {
  test.each(scripts)(
    '$name replies or fails in time, and writes only keys of its shard',
    async ({ url, definition: { keys, args, each = [] } }) => {
      const code = withIncludes(url);
      const listed = fc.array(fc.array(argument, { minLength: each.length, maxLength: each.length }), { maxLength: 3 });
      const input = fc.record({
        contents: fc.array(content, { minLength: keys.length, maxLength: keys.length }),
        args: fc.array(argument, { minLength: args.length, maxLength: args.length }),
        entries: each.length > 0 ? listed : fc.constant([]),
      });
      await fc.assert(
        fc.asyncProperty(input, async ({ contents, args: given, entries }) => {
          await redis.flushall();
          const names = keys.map((_, i) => `${root}${i}`);
          for (const [i, [command, ...values] = []] of contents.entries())
            if (command) await redis.call(command, names[i] ?? '', ...values);
          await redis.eval(code, names.length, ...names, ...given, ...entries.flat()).catch(mustBeReply);
          const otherKeys = (await redis.keys('*')).filter((key) => !key.startsWith(root));
          expect(otherKeys).toEqual([]);
        }),
        { numRuns: runs, seed },
      );
      expect(await redis.slowlog('GET', 10)).toEqual([]);
    },
    120_000,
  );
});

/** Accepts an error that Redis replied with, but no lost connection and no endless script. */
function mustBeReply(error: unknown): void {
  expect(error).toMatchObject({ name: 'ReplyError' });
  expect(String(error)).not.toMatch(/BUSY|UNKILLABLE/);
}
