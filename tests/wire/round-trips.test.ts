import type { Task } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { userMessage } from '../support/messages.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { monitorRedis, type RedisMonitor } from '../support/redis-monitor.ts';
import { get, getTask, send, submit } from '../support/rest.ts';
import { type Stack, startStack } from '../support/stack.ts';

// Processes take their time on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

// What a request costs Redis, counted in the commands that reach it.

let redis: TestRedis;
let stack: Stack;
let monitor: RedisMonitor;
/** A gateway that has answered about the tasks before, and one that has not. */
let url: string;
let fresh: string;
let small: Task;
let large: Task;

beforeAll(async () => {
  redis = await startRedis();
  stack = await startStack({ redisUrl: redis.url, agents: ['echo'], gateways: 2 });
  [url = '', fresh = ''] = stack.urls;
  small = await send(url, userMessage('stream 100'));
  large = await send(url, userMessage('stream 10000'));
  // From here on the gateway alone speaks of tasks.
  await Promise.all(stack.workers.map((worker) => worker.stop()));
  monitor = await monitorRedis(redis.url);
});

afterAll(async () => {
  monitor[Symbol.dispose]();
  await stack.stop();
  await redis.stop();
});

/** The names of the commands that Redis gets while something is done, as far as they are about the task that it yields. */
async function commandsOf(act: () => Promise<{ readonly id: string }>): Promise<string[]> {
  await monitor.catchUp();
  const before = monitor.commands.length;
  const { id } = await act();
  await monitor.catchUp();
  const about = monitor.commands.slice(before).filter((command) => command.includes(id));
  return about.map((command) => /^"(\w+)"/.exec(command)?.[1]?.toLowerCase() ?? command);
}

describe('GetTask', () => {
  it('takes one round trip', async () => {
    expect(await commandsOf(() => getTask(fresh, small.id))).toEqual(['evalsha']);
  });

  it('takes one more for an artifact of 64 KiB or more, which no script copies', async () => {
    expect(await commandsOf(() => getTask(fresh, large.id))).toEqual(['evalsha', 'getrange']);
  });

  it('fetches an artifact once for as long as the task does not change', async () => {
    const known = await getTask(url, large.id);
    expect(await commandsOf(() => getTask(url, large.id))).toEqual(['evalsha']);
    expect(await getTask(url, large.id)).toEqual(known);
  });

  it('sends nothing to a client that has the task already, and asks for nothing but its version', async () => {
    const etag = (await get(`${url}/tasks/${large.id}`)).headers.get('etag') ?? '';
    const poll = async (): Promise<Task> => {
      const { status } = await get(`${url}/tasks/${large.id}`, { 'if-none-match': etag });
      expect(status).toBe(304);
      return large;
    };
    expect(await commandsOf(poll)).toEqual(['evalsha']);
  });
});

describe('SendMessage that does not wait', () => {
  it('takes a script and a job, which leave together', async () => {
    expect(await commandsOf(() => submit(url, userMessage('hello')))).toEqual(['evalsha', 'evalsha']);
  });
});
