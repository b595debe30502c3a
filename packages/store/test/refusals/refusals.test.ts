import { relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { definedScripts } from '@switchyard/redis';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startRedis, type TestRedis } from '../../../../tests/support/redis.ts';
import { until } from '../../../../tests/support/until.ts';
import { isOutage } from '../../src/index.ts';
import { cases, type ScriptRun, scriptRuns } from './scripts.ts';
import { Stage } from './stage.ts';

// How each script behaves when Redis refuses it: out of memory, on a replica, after SCRIPT FLUSH.

const source = fileURLToPath(new URL('../../src/', import.meta.url));

const named = (kind: ScriptRun['kind']) => cases.filter((each) => each.kind === kind);

let server: TestRedis;
let redis: Redis;
beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

test('this file has a case for every script', () => {
  const files = definedScripts.map(({ file, from }) =>
    relative(source, fileURLToPath(new URL(file, from))).replace(/^(?:\.\.\/)+(\w+)\/src\//, '$1/'),
  );
  expect(Object.keys(scriptRuns).sort()).toEqual(files.sort());
});

test('the out-of-memory error of an old Redis is recognized as an outage', () => {
  const message = 'ERR Error running script (call to f_1): @user_script:9: @user_script: 9: -OOM command not allowed';
  expect(isOutage(new Error(message))).toBe(true);
  expect(isOutage(new Error(message.replace('-OOM', '-WRONGTYPE')))).toBe(false);
});

describe('out of memory', () => {
  async function outOfMemory<T>(run: () => Promise<T>): Promise<T> {
    await redis.config('SET', 'maxmemory', '1');
    try {
      return await run();
    } finally {
      await redis.config('SET', 'maxmemory', '0');
    }
  }

  test.each([...named('reads'), ...named('ends')])('$name still works', async ({ prepare, answer, settings }) => {
    await using stage = await Stage.open(server.url, settings);
    const run = await prepare(stage);
    expect(await outOfMemory(run)).toEqual(answer);
  });

  test.each(named('begins'))('$name is refused, and writes nothing', async ({ prepare, settings }) => {
    await using stage = await Stage.open(server.url, settings);
    const run = await prepare(stage);
    const before = await stage.contents();
    const refusal: unknown = await outOfMemory(async () => run().catch((error: unknown) => error));
    expect(refusal).toSatisfy(isOutage);
    expect(refusal).toMatchObject({ message: expect.stringMatching(/\bOOM\b/) });
    expect(await stage.contents()).toEqual(before);
  });
});

test.each(cases)('after SCRIPT FLUSH, $name is loaded again', async ({ prepare, answer, settings }) => {
  await using stage = await Stage.open(server.url, settings);
  const run = await prepare(stage);
  await redis.script('FLUSH');
  expect(await run()).toEqual(answer);
});

test('on a replica no script writes anything, and each does when the replica is a master again', async () => {
  const writers = [...named('begins'), ...named('ends')];
  await using stages = new AsyncDisposableStack();
  const runs = await Promise.all(
    writers.map(async ({ prepare, settings }) => {
      const stage = stages.use(await Stage.open(server.url, settings));
      return { stage, run: await prepare(stage) };
    }),
  );
  const contents = () => Promise.all(runs.map(({ stage }) => stage.contents()));
  const before = await contents();
  await redis.replicaof('127.0.0.1', '1');
  const settled: string[] = [];
  const answers = runs.map(async ({ run }, i) => {
    const answer = await run();
    settled.push(writers[i]?.name ?? '');
    return answer;
  });
  await delay(500); // long enough for each to be refused several times
  expect(settled).toEqual([]);
  expect(await contents()).toEqual(before);
  await redis.replicaof('NO', 'ONE');
  await until(() => settled.length === writers.length, { what: 'all scripts have written', timeoutMs: 60_000 });
  expect(await Promise.all(answers)).toEqual(writers.map(({ answer }) => answer));
});
