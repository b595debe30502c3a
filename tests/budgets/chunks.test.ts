import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type EventStream, openEventStream } from '../support/event-stream.ts';
import { userMessage } from '../support/messages.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { submit } from '../support/rest.ts';
import { keepBudget } from './support/keep.ts';
import { openSystem, type System } from './support/open-system.ts';
import { ask, readCounts } from './support/redis-info.ts';

vi.setConfig({ hookTimeout: 60_000 });

// What Redis writes for a chunk of an artifact depends on the size of the chunk, not on that of the artifact.

const text = 'thirty bytes of text, no more.';
/** Number of chunks measured at each position. */
const sample = 20;

let redis: TestRedis;
let system: System;
let events: EventStream;
/** Bytes of the append-only file per chunk, by the number of the first chunk. */
const fileBytes = new Map<number, number>();
let streamBytesOfChunk = 0;

beforeAll(async () => {
  redis = await startRedis({ appendOnly: true });
  system = await openSystem({ gatewayRedis: redis.url, workerRedis: redis.url });
  const { id } = await submit(system.url, userMessage('led'));
  events = await openEventStream(`${system.url}/tasks/${id}:subscribe`);
  const { turn, complete } = await system.led.next();
  const artifact = turn.artifact({ name: 'Chunks' });
  let chunks = 0;
  const append = async (word = text): Promise<void> => {
    chunks++;
    await artifact.append(word);
  };
  /** Appends without waiting, until subscribers have the last chunk. */
  async function fastForward(number: number): Promise<void> {
    while (chunks < number - 1) await append();
    await append(`at ${number}`);
    await seen(`at ${number}`);
  }
  /** Measures chunks that are appended one by one, since queued chunks would be sent together. */
  async function sampleAt(number: number): Promise<void> {
    await fastForward(number);
    const before = (await readCounts(redis.url)).fileBytes;
    for (let i = 0; i < sample; i++) {
      const word = text.replace('thirty', `${chunks}`.padStart(6, '0'));
      await append(word);
      await seen(word);
    }
    fileBytes.set(number, ((await readCounts(redis.url)).fileBytes - before) / sample);
  }
  await sampleAt(10);
  await sampleAt(100);
  const [from, chunksBefore] = [await streamBytes(id), chunks];
  await sampleAt(5_000);
  streamBytesOfChunk = ((await streamBytes(id)) - from) / (chunks - chunksBefore);
  complete();
});

afterAll(async () => {
  events.cut();
  await system[Symbol.asyncDispose]();
  await redis.stop();
});

async function seen(word: string): Promise<void> {
  await events.until(({ artifactUpdate }) => artifactUpdate?.artifact.parts[0]?.text === word);
}

/** Memory of the stream of a task's events. */
async function streamBytes(taskId: string): Promise<number> {
  const [, key = ''] = /\r\n(\S+:e)\r\n/.exec(await ask(redis.url, `KEYS *${taskId}:e`)) ?? [];
  return Number(/^:(\d+)/.exec(await ask(redis.url, `MEMORY USAGE ${key} SAMPLES 0`))?.[1]);
}

const bytesAt = (number: number): number => fileBytes.get(number) ?? Number.NaN;

it('a chunk of a small artifact stays within its budget', () => {
  keepBudget('fileBytesOfEarlyChunk', bytesAt(10));
});

it('a chunk stays within its budget', () => {
  keepBudget('fileBytesOfChunk', bytesAt(100));
});

it('chunk 5,000 costs as much as chunk 100', () => {
  keepBudget('fileBytesOfLateChunk', Math.max(0, bytesAt(5_000) - bytesAt(100)));
  expect(bytesAt(5_000)).toBeGreaterThan(text.length);
});

it('a chunk takes little memory in the stream of events', () => {
  keepBudget('streamBytesOfChunk', streamBytesOfChunk);
});
