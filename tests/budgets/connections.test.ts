import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { openEventStream } from '../support/event-stream.ts';
import { startFleet } from '../support/fleet.ts';
import { userMessage } from '../support/messages.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { submit } from '../support/rest.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';
import { keepBudget } from './support/keep.ts';
import { ask, readCounts } from './support/redis-info.ts';

// On a busy machine processes start slowly.
// Connections to Redis of real processes, and the commands of idle ones. A Redis accepts some thousands of connections.

let redis: TestRedis;
let stack: Stack;

beforeAll(async () => {
  redis = await startRedis();
  stack = await start(1);
});

afterAll(async () => {
  await stack.stop();
  await redis.stop();
});

/** The number of open connections without this one, once it is stable: some open only after the start. */
async function connections(url = redis.url): Promise<number> {
  let [last, since] = [-1, 0];
  const isSettled = async (): Promise<boolean> => {
    const list = await ask(url, 'CLIENT LIST');
    const open = list.split('\n').filter((line) => line.startsWith('id=') && !line.includes('cmd=client|list')).length;
    if (open !== last) [last, since] = [open, performance.now()];
    return performance.now() - since > 300;
  };
  await until(isSettled, { what: 'no connection comes or goes', everyMs: 50 });
  return last;
}

/** How many more connections there are after an action. */
async function added(act: () => Promise<unknown>): Promise<number> {
  const before = await connections();
  await act();
  return (await connections()) - before;
}

const start = (shards: number): Promise<Stack> =>
  startStack({ redisUrl: redis.url, agents: ['typist'], env: { SHARDS: String(shards) } });

it('a gateway, a worker and a hundred streams stay within their budgets', async () => {
  const [url = ''] = stack.urls;
  expect(await connections()).toBeGreaterThan(0);
  keepBudget('connectionsOfGateway', await added(() => stack.addGateway()));
  keepBudget('connectionsOfWorker', await added(() => stack.addWorker()));
  const openHundred = async (): Promise<void> => {
    const tasks = await Promise.all(Array.from({ length: 100 }, () => submit(url, userMessage('1000'))));
    const streams = await Promise.all(tasks.map(({ id }) => openEventStream(`${url}/tasks/${id}:subscribe`)));
    await Promise.all(streams.map((stream) => stream.until(({ task }) => task !== undefined)));
  };
  keepBudget('connectionsOfHundredStreams', await added(openHundred));
});

it('a worker stays within its budget for each additional shard', async () => {
  const ofOne = await added(() => stack.addWorker());
  await using four = await start(4);
  const ofFour = await added(() => four.addWorker());
  keepBudget('connectionsOfWorkerPerShard', (ofFour - ofOne) / 3);
});

/** Commands a second of idle processes, those within scripts included, on a Redis of their own. */
async function commandsASecond(url: string): Promise<number> {
  const read = async (): Promise<{ readonly commands: number; readonly at: number }> => {
    const { commands } = await readCounts(url);
    return { commands, at: performance.now() };
  };
  const before = await read();
  // As long as the longest interval of what an idle worker does.
  await delay(10_000);
  const after = await read();
  return (after.commands - before.commands) / ((after.at - before.at) / 1_000);
}

it('an idle worker sends few commands, and not more if it has more agents', async () => {
  const idle = async (agents: number, shards: number) => {
    const own = await startRedis();
    onTestFinished(() => own.stop());
    await using _ = await startFleet({ redisUrl: own.url, agents, shards });
    await delay(3_000); // without the work at the start
    return { commands: await commandsASecond(own.url), connections: await connections(own.url) };
  };
  const [one, fleet] = await Promise.all([idle(1, 1), idle(20, 16)]);
  keepBudget('commandsOfIdleWorker', one.commands);
  keepBudget('commandsOfIdleFleetPerShard', fleet.commands / 16);
  keepBudget('connectionsOfIdleFleet', fleet.connections);
});
