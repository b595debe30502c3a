import { relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startRedis, type TestRedis } from '../../../../tests/support/redis.ts';
import { until } from '../../../../tests/support/until.ts';
import { isOutage } from '../../src/index.ts';
import { definedScripts } from '../../src/redis/script.ts';
import { type ScriptRun, scriptRuns } from './scripts.ts';
import { Stage } from './stage.ts';

// What becomes of each script when Redis will not have it: no memory, a replica, flushed scripts.

const source = fileURLToPath(new URL('../../src/', import.meta.url));

const cases = Object.entries(scriptRuns).flatMap(([script, runs]) =>
  runs.map((run) => ({ name: run.of ? `${script}: ${run.of}` : script, ...run })),
);
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

test('every script is tried here', () => {
  const files = definedScripts.map(({ file, from }) => relative(source, fileURLToPath(new URL(file, from))));
  expect(Object.keys(scriptRuns).sort()).toEqual(files.sort());
});

test('the words of an old Redis are understood, too', () => {
  const words = 'ERR Error running script (call to f_1): @user_script:9: @user_script: 9: -OOM command not allowed';
  expect(isOutage(new Error(words))).toBe(true);
  expect(isOutage(new Error(words.replace('-OOM', '-WRONGTYPE')))).toBe(false);
});

describe('without memory', () => {
  async function withoutMemory<T>(act: () => Promise<T>): Promise<T> {
    await redis.config('SET', 'maxmemory', '1');
    try {
      return await act();
    } finally {
      await redis.config('SET', 'maxmemory', '0');
    }
  }

  test.each([...named('reads'), ...named('ends')])('goes on: $name', async ({ scene, answer, settings }) => {
    await using stage = await Stage.open(server.url, settings);
    const act = await scene(stage);
    expect(await withoutMemory(act)).toEqual(answer);
  });

  test.each(named('begins'))('is refused as a whole: $name', async ({ scene, settings }) => {
    await using stage = await Stage.open(server.url, settings);
    const act = await scene(stage);
    const before = await stage.contents();
    const refusal: unknown = await withoutMemory(async () => act().catch((error: unknown) => error));
    expect(refusal).toSatisfy(isOutage);
    expect(refusal).toMatchObject({ message: expect.stringMatching(/\bOOM\b/) });
    expect(await stage.contents()).toEqual(before);
  });
});

test.each(cases)('is sent again when Redis has forgotten it: $name', async ({ scene, answer, settings }) => {
  await using stage = await Stage.open(server.url, settings);
  const act = await scene(stage);
  await redis.script('FLUSH');
  expect(await act()).toEqual(answer);
});

test('on a replica none writes anything, and each does when it is a master again', async () => {
  const writers = [...named('begins'), ...named('ends')];
  await using stages = new AsyncDisposableStack();
  const acts = await Promise.all(
    writers.map(async ({ scene, settings }) => {
      const stage = stages.use(await Stage.open(server.url, settings));
      return { stage, act: await scene(stage) };
    }),
  );
  const contents = () => Promise.all(acts.map(({ stage }) => stage.contents()));
  const before = await contents();
  await redis.replicaof('127.0.0.1', '1');
  const settled: string[] = [];
  const answers = acts.map(async ({ act }, i) => {
    const answer = await act();
    settled.push(writers[i]?.name ?? '');
    return answer;
  });
  await delay(500); // so that each is refused, several times
  expect(settled).toEqual([]);
  expect(await contents()).toEqual(before);
  await redis.replicaof('NO', 'ONE');
  await until(() => settled.length === writers.length, { what: 'all are done', timeoutMs: 10_000 });
  expect(await Promise.all(answers)).toEqual(writers.map(({ answer }) => answer));
}, 30_000);
