import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startRedis, type TestRedis } from '../../../tests/support/redis.ts';
import { errorFields, logFields } from '../src/index.ts';

const SECRET = 'hunter-2-secret';
let server: TestRedis;
let admin: Redis;
beforeAll(async () => {
  server = await startRedis();
  admin = new Redis(server.url);
});
afterAll(() => {
  admin.disconnect();
  return server.stop();
});

/** The error of a command that contains a secret. */
async function errorOf(command: string, ...args: string[]): Promise<unknown> {
  return admin.call(command, ...args).catch((error: unknown) => error);
}

test('the logged fields of a Redis error contain neither the arguments of the command nor the password', async () => {
  await admin.set('text', 'x');
  const errors = [
    await errorOf('AUTH', SECRET),
    await errorOf('HSET', 'text', 'field', SECRET),
    await errorOf('NOSUCHCOMMAND', SECRET),
    new Error('wrapped', { cause: await errorOf('AUTH', 'user', SECRET) }),
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

test('the logged fields of an error contain no parsed text, no path of a URL and no long text', () => {
  const read = (): unknown => JSON.parse(`{"key": "${SECRET}`);
  const parsing = ((): unknown => {
    try {
      return read();
    } catch (error) {
      return error;
    }
  })();
  const errors = [
    parsing,
    new Error(`fetch of https://user:${SECRET}@host.example:8080/hook?key=${SECRET} failed`),
    new Error(`redis://default:${SECRET}@127.0.0.1:6379/0 is away`),
    new Error(`nothing is read from http://host.example/${SECRET}: is it there?`),
    new Error(`${'much '.repeat(100)}${SECRET}`),
  ];
  for (const error of errors) expect(JSON.stringify(errorFields(error))).not.toContain(SECRET);
  expect(errorFields(errors[1])).toMatchObject({ message: 'fetch of https://host.example:8080 failed' });
  expect(errorFields(errors[2])).toMatchObject({ message: 'redis://127.0.0.1:6379 is away' });
  expect(errorFields(errors[3])).toMatchObject({ message: 'nothing is read from http://host.example: is it there?' });
  expect(errorFields(new Error('short'))).toMatchObject({ stack: expect.stringContaining('error-fields.test.ts') });
});

test('a log line has the allowed fields, and the names of those that are left out', () => {
  const given = {
    agent: 'echo',
    durationMs: 3,
    agents: ['a', { secret: SECRET }],
    headers: { authorization: SECRET },
    token: SECRET,
    reason: `https://host.example/hook/${SECRET}`,
    result: { text: SECRET },
    tenant: undefined,
  };
  expect(logFields(given)).toEqual({
    agent: 'echo',
    durationMs: 3,
    agents: ['a'],
    reason: 'https://host.example',
    leftOut: ['headers', 'token', 'result'],
  });
});

test('the names of who did something are logged as they are: two subjects may differ in the path only', () => {
  const who = { tenant: 'https://idp.example/acme', subject: 'spiffe://acme/alice' };
  expect(logFields({ ...who, forSubject: 'x'.repeat(600) })).toEqual({ ...who, forSubject: 'x'.repeat(500) });
});

test('the logged fields of an error have its type, message and cause', () => {
  const cause = Object.assign(new Error('no'), { code: 'ECONNREFUSED' });
  expect(errorFields(new TypeError('wrong', { cause }))).toMatchObject({
    type: 'TypeError',
    message: 'wrong',
    cause: { type: 'Error', message: 'no', code: 'ECONNREFUSED' },
  });
  expect(errorFields('a text')).toBe('a text');
});

test('whatever is thrown has fields: causes may be a circle, and a value need not be an Error', () => {
  const circle = new Error('circular');
  circle.cause = circle;
  expect(errorFields(circle)).toMatchObject({ message: 'circular', cause: { cause: { message: 'circular' } } });
  expect(JSON.stringify(errorFields(circle)).length).toBeLessThan(50_000);
  expect(errorFields({ code: 17, detail: 'no dough' })).toBe('an object with code, detail');
  expect(errorFields({ message: 'no dough' })).toBe('no dough');
  expect([errorFields(null), errorFields('no dough'), errorFields(Symbol('dough'))]).toEqual([
    'null',
    'no dough',
    'Symbol(dough)',
  ]);
  const unreadable = Object.defineProperty(new Error(), 'message', { get: () => expect.unreachable() });
  expect(errorFields(unreadable)).toBe('The thrown value cannot be read.');
});
