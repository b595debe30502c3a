import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import type { Task } from '@switchyard/protocol';
import { afterAll, beforeAll, it } from 'vitest';
import { openEventStream } from '../support/event-stream.ts';
import { userMessage } from '../support/messages.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { send, submit } from '../support/rest.ts';
import { keepBudget } from './support/keep.ts';
import { openSystem, type System } from './support/open-system.ts';
import { type GatewayThread, startGatewayThread } from './support/start-gateway-thread.ts';

// What a gateway allocates for a request once its code is compiled.

const calls = 500;
/** Rounds of calls that are not counted. */
const warmUps = 5;
/** On a busy machine compilation is late and allocates, too: the round with the fewest bytes counts. */
const rounds = 3;

const agent = new Agent({ keepAlive: true });
let redis: TestRedis;
let system: System;
let gateway: GatewayThread;
let task: Task;

beforeAll(async () => {
  redis = await startRedis();
  system = await openSystem({ gatewayRedis: redis.url, workerRedis: redis.url });
  gateway = await startGatewayThread({ redisUrl: redis.url, prefix: system.store.settings.prefix });
  task = await send(gateway.url, userMessage('hello'));
});

afterAll(async () => {
  agent.destroy();
  await gateway[Symbol.asyncDispose]();
  await system[Symbol.asyncDispose]();
  await redis.stop();
});

async function call(path: string, { body, headers }: { body?: object; headers?: object } = {}): Promise<void> {
  const options = { agent, method: body ? 'POST' : 'GET', headers: { 'content-type': 'application/json', ...headers } };
  const sent = request(gateway.url + path, options);
  sent.end(body && JSON.stringify(body));
  const [response]: IncomingMessage[] = await once(sent, 'response');
  await response?.resume().toArray();
}

/** Bytes per call, one call after the other. */
async function bytesOf(act: () => Promise<unknown>): Promise<number> {
  const round = async (): Promise<void> => {
    for (let i = 0; i < calls; i++) await act();
  };
  for (let i = 0; i < warmUps; i++) await round();
  let fewest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < rounds; i++) fewest = Math.min(fewest, await gateway.allocated(round));
  return fewest / calls;
}

it('SendMessage with returnImmediately stays within its budget', async () => {
  const configuration = { returnImmediately: true };
  const body = (): object => ({ message: userMessage('hello'), configuration });
  keepBudget('allocatedToSend', await bytesOf(() => call('/message:send', { body: body() })));
});

it('GetTask stays within its budget', async () => {
  keepBudget('allocatedToGet', await bytesOf(() => call(`/tasks/${task.id}`)));
});

it('an event on a stream stays within its budget', async () => {
  const { id } = await submit(gateway.url, userMessage('led'));
  const { turn, complete } = await system.led.next();
  const artifact = turn.artifact({ name: 'Chunks' });
  const events = await openEventStream(`${gateway.url}/tasks/${id}:subscribe`);
  await events.until((data) => data.task !== undefined);
  let count = 0;
  const deliver = async (): Promise<void> => {
    const text = `thirty bytes of text ${++count}`;
    await artifact.append(text);
    await events.until(({ artifactUpdate }) => artifactUpdate?.artifact.parts[0]?.text === text);
  };
  keepBudget('allocatedToDeliver', await bytesOf(deliver));
  complete();
  await events.rest();
});
