import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startRedis, type TestRedis } from '../../../tests/support/redis.ts';
import { errorFields } from '../src/index.ts';
import { testRedis } from './support/redis.ts';

const SECRET = 'hunter-2-secret';
let server: TestRedis;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.stop());

/** What goes wrong with a command that holds a secret. */
async function refused(command: string, ...args: string[]): Promise<unknown> {
  return testRedis(server.url)
    .call(command, ...args)
    .catch((error: unknown) => error);
}

test('nothing of a command or a password is in what a log gets of an error', async () => {
  const admin = testRedis(server.url);
  await admin.set('text', 'x');
  const errors = [
    await refused('AUTH', SECRET),
    await refused('HSET', 'text', 'field', SECRET),
    await refused('NOSUCHCOMMAND', SECRET),
    new Error('wrapped', { cause: await refused('AUTH', 'user', SECRET) }),
  ];
  await admin.config('SET', 'requirepass', 'other');
  const stranger = new Redis(server.url.replace('//', `//default:${SECRET}@`), { lazyConnect: true });
  stranger.on('error', (error) => errors.push(error));
  errors.push(await stranger.get('text').catch((error: unknown) => error));
  stranger.disconnect();

  for (const error of errors) {
    const fields = errorFields(error);
    expect(fields).toMatchObject({ type: expect.any(String), message: expect.stringMatching(/\w/) });
    expect(JSON.stringify(fields)).not.toContain(SECRET);
  }
  expect(errors.map((error) => JSON.stringify(error)).join()).toContain(SECRET);
});

test('the fields that identify an error stay', () => {
  const cause = Object.assign(new Error('no'), { code: 'ECONNREFUSED' });
  expect(errorFields(new TypeError('wrong', { cause }))).toMatchObject({
    type: 'TypeError',
    message: 'wrong',
    cause: { type: 'Error', message: 'no', code: 'ECONNREFUSED' },
  });
  expect(errorFields('a text')).toBe('a text');
});
