import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EventStream, openEventStream } from '../support/event-stream.ts';
import { userMessage } from '../support/messages.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { submit } from '../support/rest.ts';
import { keepBudget } from './support/keep.ts';
import { openSystem, type System } from './support/open-system.ts';
import { ask } from './support/redis-info.ts';
import { bytesOfCommand, inline, type ScriptCall, watchScriptCalls } from './support/script-calls.ts';

// What Redis does for a chunk of an artifact depends on the size of the chunk, not on that of the artifact. Only the
// commands of the chunk's own script count: other work of the processes depends on the time.

const text = 'thirty bytes of text, no more.';
/** Number of chunks measured at each position. */
const sample = 5;
const last = 10_000;

/** The largest cost of a chunk of a sample. */
interface Cost {
  readonly commands: number;
  readonly writtenBytes: number;
  readonly readBytes: number;
}

let redis: TestRedis;
let system: System;
let events: EventStream;
/** By the number of the first chunk of the sample. */
const costs = new Map<number, Cost>();
let streamBytesOfChunk = 0;

beforeAll(async () => {
  redis = await startRedis();
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
    using calls = await watchScriptCalls(redis.url);
    const measured: Cost[] = [];
    for (let i = 0; i < sample; i++) {
      const word = text.replace('thirty', `${chunks}`.padStart(6, '0'));
      await append(word);
      await seen(word);
      measured.push(await costOf(await calls.withText(word)));
    }
    const most = (what: keyof Cost): number => Math.max(...measured.map((cost) => cost[what]));
    costs.set(number, { commands: most('commands'), writtenBytes: most('writtenBytes'), readBytes: most('readBytes') });
  }
  await sampleAt(10);
  await sampleAt(100);
  const [from, chunksBefore] = [await streamBytes(id), chunks];
  await sampleAt(last);
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

/** What the commands of a script wrote, and what they read: those that only read are sent again. */
async function costOf({ commands }: ScriptCall): Promise<Cost> {
  const kinds = await Promise.all(commands.map(([name = '']) => ask(redis.url, `COMMAND INFO ${name}`)));
  const written = commands.filter((_, i) => /\+write\r\n/.test(kinds[i] ?? ''));
  const read = commands.filter((_, i) => /\+readonly\r\n/.test(kinds[i] ?? ''));
  const replies = await Promise.all(read.map((command) => ask(redis.url, inline(command))));
  return {
    commands: commands.length,
    writtenBytes: written.reduce((sum, command) => sum + bytesOfCommand(command), 0),
    readBytes: replies.reduce((sum, { length }) => sum + length, 0),
  };
}

const costAt = (number: number): Cost => costs.get(number) ?? { commands: NaN, writtenBytes: NaN, readBytes: NaN };

it('a chunk of a small artifact stays within its budget', () => {
  keepBudget('writtenBytesOfEarlyChunk', costAt(10).writtenBytes);
});

it('a chunk stays within its budget', () => {
  keepBudget('commandsOfChunk', costAt(100).commands);
  keepBudget('writtenBytesOfChunk', costAt(100).writtenBytes);
  keepBudget('readBytesOfChunk', costAt(100).readBytes);
});

it('chunk 10,000 costs as much as chunk 100', () => {
  const [early, late] = [costAt(100), costAt(last)];
  expect(late.commands).toBe(early.commands);
  keepBudget('writtenBytesOfLateChunk', Math.max(0, late.writtenBytes - early.writtenBytes));
  keepBudget('readBytesOfLateChunk', Math.max(0, late.readBytes - early.readBytes));
  expect(late.writtenBytes).toBeGreaterThan(text.length);
});

it('a chunk takes little memory in the stream of events', () => {
  keepBudget('streamBytesOfChunk', streamBytesOfChunk);
});
