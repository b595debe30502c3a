import { afterAll, beforeAll, describe, it } from 'vitest';
import { openEventStream } from '../support/event-stream.ts';
import { userMessage } from '../support/messages.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { openLedger, type RedisLedger } from '../support/redis-ledger.ts';
import { get, getTask, post, send, submit } from '../support/rest.ts';
import { keepOperationBudget } from './support/keep.ts';
import { openSystem, type System } from './support/open-system.ts';

// What an operation of the gateway asks of Redis, counted by a proxy between the two.

let redis: TestRedis;
let ledger: RedisLedger;
let system: System;
let url: string;

beforeAll(async () => {
  redis = await startRedis();
  ledger = await openLedger(redis.url);
  system = await openSystem({ gatewayRedis: ledger.url, workerRedis: redis.url });
  ({ url } = system);
  // Loads the scripts: Redis needs the source of a script once.
  for (const text of ['one', 'two']) await send(url, userMessage(text));
  await get(`${url}/tasks`);
  const task = await send(url, userMessage('ask'));
  await submit(url, userMessage('ask', task));
  await post(`${url}/tasks/${task.id}:cancel`);
});

afterAll(async () => {
  await system[Symbol.asyncDispose]();
  await ledger[Symbol.asyncDispose]();
  await redis.stop();
});

describe('SendMessage', () => {
  it('with returnImmediately stays within its budget', async () => {
    keepOperationBudget('sendImmediately', await ledger.during(() => submit(url, userMessage('hello'))));
  });

  it('that waits for the outcome stays within its budget', async () => {
    const sendAndWait = async (): Promise<void> => {
      const sent = send(url, userMessage('led'));
      const led = await system.led.next();
      await ledger.quiet();
      led.complete();
      await sent;
    };
    keepOperationBudget('sendAndWait', await ledger.during(sendAndWait));
  });

  it('that streams stays within its budget', async () => {
    const stream = async (): Promise<void> => {
      const body = { message: userMessage('led') };
      const events = await openEventStream(`${url}/message:stream`, { method: 'POST', body });
      await events.until(({ task }) => task !== undefined);
      const led = await system.led.next();
      await ledger.quiet();
      led.complete();
      await events.rest();
    };
    keepOperationBudget('sendAndStream', await ledger.during(stream));
  });

  it('to a task that waits for input stays within its budget', async () => {
    const task = await send(url, userMessage('ask'));
    keepOperationBudget('sendToTask', await ledger.during(() => submit(url, userMessage('ask', task))));
  });
});

describe('GetTask', () => {
  it('of a task that is not in memory stays within its budget', async () => {
    const { id } = await submit(url, userMessage('led'));
    keepOperationBudget('getTask', await ledger.during(() => getTask(url, id)));
    (await system.led.next()).complete();
  });

  it('of a task in memory stays within its budget, with and without its ETag', async () => {
    const { id } = await send(url, userMessage('hello'));
    const etag = (await get(`${url}/tasks/${id}`)).headers.get('etag') ?? '';
    keepOperationBudget('getTaskAgain', await ledger.during(() => getTask(url, id)));
    const unchanged = (): Promise<unknown> => get(`${url}/tasks/${id}`, { 'if-none-match': etag });
    keepOperationBudget('getTaskUnchanged', await ledger.during(unchanged));
  });

  it('of many callers at once stays within its budget', async () => {
    const { id } = await send(url, userMessage('hello'));
    const twenty = Array.from({ length: 20 }, () => id);
    const atOnce = (): Promise<unknown> => Promise.all(twenty.map((each) => getTask(url, each)));
    keepOperationBudget('getTaskAtOnce', await ledger.during(atOnce));
  });

  it('of an artifact of 64 KiB stays within its budget, and again reads only the version', async () => {
    const { id } = await submit(url, userMessage('led'));
    const led = await system.led.next();
    await led.turn.artifact({ name: 'Large' }).append('x'.repeat(70_000));
    await led.turn.working();
    keepOperationBudget('getLargeTask', await ledger.during(() => getTask(url, id)));
    keepOperationBudget('getTaskAgain', await ledger.during(() => getTask(url, id)));
    led.complete();
  });
});

it('SubscribeToTask stays within its budget', async () => {
  const { id } = await submit(url, userMessage('led'));
  const led = await system.led.next();
  const subscribe = async (): Promise<void> => {
    const events = await openEventStream(`${url}/tasks/${id}:subscribe`);
    await events.until(({ task }) => task !== undefined);
    await ledger.quiet();
    led.complete();
    await events.rest();
  };
  keepOperationBudget('subscribe', await ledger.during(subscribe));
});

it('ListTasks stays within its budget', async () => {
  for (let i = 0; i < 10; i++) await send(url, userMessage(`task ${i}`));
  keepOperationBudget('listTen', await ledger.during(() => get(`${url}/tasks?pageSize=10`)));
});

it('CancelTask stays within its budget', async () => {
  const { id } = await send(url, userMessage('ask'));
  keepOperationBudget('cancelWaiting', await ledger.during(() => post(`${url}/tasks/${id}:cancel`)));
});
