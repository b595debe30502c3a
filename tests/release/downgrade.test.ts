import { Redis } from 'ioredis';
import { afterAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { uniquePrefix } from '../support/prefix.ts';
import { type Program, startProgram } from '../support/process.ts';

// Programs of this release, and a Redis with the schema of a later one.

const programs = [
  { file: 'apps/gateway/src/main.ts', works: /"msg":"listening"/, env: { PORT: '0', GRPC_PORT: 'off' } },
  { file: 'apps/worker/src/main.ts', works: /"event":"started"/, args: ['--agents', 'examples/echo/agent.ts'] },
] as const;

const redis = new Redis(inject('redisUrl'));
afterAll(() => redis.disconnect());

let prefix: string;
beforeEach(() => {
  prefix = uniquePrefix();
});

const takeOver = () =>
  redis.hset(`${prefix}{agents}:schema`, { version: 9, oldest: 8, migrated: 9, release: 'Switchyard 9.0.0' });

function start({ works: _, env = {}, ...program }: (typeof programs)[number] & { env?: object }): Promise<Program> {
  return startProgram({ ...program, env: { ...env, REDIS_URL: inject('redisUrl'), KEY_PREFIX: prefix } });
}

const words =
  /Switchyard 9\.0\.0 took this Redis over \(schema 9\): programs must know schema 8, and .* knows 1\..* restore a backup/s;

describe.each(programs)('$file', (program) => {
  test('does not start: it names both schema versions and what to do, in one reason', async () => {
    await takeOver();
    const refused = await start(program);
    expect(await refused.exited).toBe(1);
    expect(refused.output()).toMatch(words);
    expect(refused.output()).toMatch(/^Error: SWITCHYARD_ERR_REDIS\nReason: .*\nHint: .*\n$/);
  });

  test('stops when the schema changes while it runs, and writes nothing more', async () => {
    const running = await start(program);
    await running.waitFor(program.works, 20_000);
    await takeOver();
    expect(await running.exited).toBe(1);
    expect(running.output()).toMatch(/"event":"too-old"/);
    expect(running.output()).toMatch(words);
    expect(await redis.hget(`${prefix}{agents}:schema`, 'version')).toBe('9');
  });
});
