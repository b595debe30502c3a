import { type Command, Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startRedis, type TestRedis } from '../../../tests/support/redis.ts';
import { createConnections } from '../src/connection.ts';
import { withDeadline } from '../src/deadline.ts';

const health = { isAnswering: true, isAnsweringFor: () => true };
let server: TestRedis;
let other: Redis;
beforeAll(async () => {
  server = await startRedis();
  other = new Redis(server.url);
});
afterAll(async () => {
  other.disconnect();
  await server.stop();
});

test('a pipeline of which only some commands have been refused yet is sent again as a whole, and replies stay in order', async () => {
  const { commands } = createConnections({ redisUrl: server.url }, { isReplicated: false });
  commands.on('error', () => undefined);
  await commands.connect();
  const id = String(await commands.call('CLIENT', 'ID'));
  await other.call('CLIENT', 'PAUSE', '60000', 'WRITE');
  const pipeline = commands.pipeline().set('first', '1').set('second', '2');
  const done = pipeline.exec();
  // The deadlines of a large pipeline end in different milliseconds.
  const [first]: Command[] = Reflect.get(pipeline, '_queue');
  first?.reject(new Error('timed out'));
  const later = ['a', 'b', 'c'].map((text) => commands.echo(text));
  // `once` of Node would also end with the error of the connection that is killed.
  const isConnectedAgain = new Promise((resolve) => commands.once('ready', resolve));
  await other.call('CLIENT', 'KILL', 'ID', id);
  await isConnectedAgain;
  await other.call('CLIENT', 'UNPAUSE');
  expect(await done).toMatchObject([[expect.any(Error)], [null, 'OK']]);
  expect(await Promise.all(later)).toEqual(['a', 'b', 'c']);
  commands.disconnect();
});

test('a command whose caller has been refused is not sent again after a reconnection, and later ones are', async () => {
  const { commands } = createConnections({ redisUrl: server.url }, { isReplicated: false });
  commands.on('error', () => undefined);
  await commands.connect();
  const requests = withDeadline(commands, { ms: 200, health });
  const id = String(await commands.call('CLIENT', 'ID'));
  await other.call('CLIENT', 'PAUSE', '60000', 'WRITE');
  await expect(requests.set('refused', '1')).rejects.toThrow('timed out');
  await expect(requests.pipeline().set('refused-too', '1').set('and-this', '1').exec()).resolves.toMatchObject([
    [expect.any(Error)],
    [expect.any(Error)],
  ]);
  const waits = commands.set('waits', '1');
  const isConnectedAgain = new Promise((resolve) => commands.once('ready', resolve));
  await other.call('CLIENT', 'KILL', 'ID', id);
  await isConnectedAgain;
  await other.call('CLIENT', 'UNPAUSE');
  expect(await waits).toBe('OK');
  expect(await commands.mget('refused', 'refused-too', 'and-this')).toEqual([null, null, null]);
  commands.disconnect();
});

test('commands that have no reply are rejected by disconnect, also between two attempts to connect', async () => {
  const away = await startRedis();
  const { commands } = createConnections({ redisUrl: away.url }, { isReplicated: false });
  commands.on('error', () => undefined);
  await commands.connect();
  await commands.call('CLIENT', 'PAUSE', '60000', 'WRITE');
  const sent = commands.set('sent', '1');
  const isReconnecting = new Promise((resolve) => commands.once('reconnecting', resolve));
  await away.stop();
  await isReconnecting;
  const queued = commands.set('queued', '1');
  commands.disconnect();
  expect(await Promise.allSettled([sent, queued, commands.set('later', '1')])).toEqual(
    Array.from({ length: 3 }, () => ({ status: 'rejected', reason: new Error('Connection is closed.') })),
  );
  expect(commands.status).toBe('end');
});
