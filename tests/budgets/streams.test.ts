import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { userMessage } from '../support/messages.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { openLedger } from '../support/redis-ledger.ts';
import { send, submit } from '../support/rest.ts';
import { SentEventParser } from '../support/sent-events.ts';
import { until } from '../support/until.ts';
import { keepBudget } from './support/keep.ts';
import type { LedTurn } from './support/led-agent.ts';
import { openSystem, type System } from './support/open-system.ts';
import { countSocketWrites } from './support/socket-writes.ts';

// What a stream costs beyond its contents.

let redis: TestRedis;
let system: System;

beforeAll(async () => {
  redis = await startRedis();
  system = await openSystem({ gatewayRedis: redis.url, workerRedis: redis.url });
});

afterAll(async () => {
  await system[Symbol.asyncDispose]();
  await redis.stop();
});

/** A stream over HTTP+JSON, with the number of its bytes. */
interface RawStream extends Disposable {
  /** `data` of the events so far. */
  readonly events: readonly string[];
  /** Bytes received over the socket, including the headers. */
  readonly bytes: number;
}

async function openRaw(url: string): Promise<RawStream> {
  const sent = request(url, { headers: { accept: 'text/event-stream' }, agent: false });
  sent.end();
  const [response]: IncomingMessage[] = await once(sent, 'response');
  if (!response) throw new Error('there is no response');
  const [events, parser] = [[] as string[], new SentEventParser()];
  response.on('data', (bytes: Buffer) => {
    for (const { text } of parser.push(bytes)) events.push(text);
  });
  await until(() => events.length > 0, { what: 'the stream has begun' });
  return {
    events,
    get bytes() {
      return response.socket.bytesRead;
    },
    [Symbol.dispose]: () => void response.destroy(),
  };
}

interface Streamed {
  readonly stream: RawStream;
  readonly led: LedTurn;
  readonly append: (text: string) => Promise<void>;
}

/** A stream on which an artifact has started. */
async function openArtifact(): Promise<Streamed> {
  const { id } = await submit(system.url, userMessage('led'));
  const stream = await openRaw(`${system.url}/tasks/${id}:subscribe`);
  const led = await system.led.next();
  const artifact = led.turn.artifact({ name: 'Chunks' });
  await artifact.append('first');
  await until(() => stream.events.at(-1)?.includes('"first"'), { what: 'the artifact has begun' });
  return { stream, led, append: (text) => artifact.append(text) };
}

/** @returns the JSON of the events that the action caused, and their bytes on the wire */
async function received(stream: RawStream, count: number, act: () => Promise<unknown>) {
  const [from, bytes] = [stream.events.length, stream.bytes];
  await act();
  await until(() => stream.events.length >= from + count, { what: `${count} events have come` });
  return { events: stream.events.slice(from), bytes: stream.bytes - bytes };
}

it('a single event stays within its budget of bytes and writes', async () => {
  using writes = countSocketWrites(/:subscribe/);
  const { stream, led, append } = await openArtifact();
  using _stream = stream;
  const [writesBefore, text] = [writes.count, 'thirty bytes of text, no more.'];
  for (let i = 0; i < 10; i++) {
    const { events, bytes } = await received(stream, 1, () => append(text));
    const json = Buffer.byteLength(events.join(''));
    keepBudget('wireBytesOfEvent', bytes - json);
    keepBudget('jsonBytesOfChunk', json - text.length);
  }
  keepBudget('writesOfEvent', (writes.count - writesBefore) / 10);
  expect(writes.count, 'no write was counted: the count is wrong').toBeGreaterThan(writesBefore);
  led.complete();
});

it('a burst of events stays within its budget of writes', async () => {
  using writes = countSocketWrites(/:subscribe/);
  const { stream, led, append } = await openArtifact();
  using _stream = stream;
  const before = writes.count;
  const burst = Array.from({ length: 30 }, (_, i) => `chunk ${i}`);
  await received(stream, burst.length, () => Promise.all(burst.map(append)));
  keepBudget('writesOfBurst', writes.count - before);
  expect(writes.count).toBeGreaterThan(before);
  led.complete();
});

it('the periodic check of open streams stays within its budget', async () => {
  await using ledger = await openLedger(redis.url);
  await using checked = await openSystem({ gatewayRedis: ledger.url, workerRedis: redis.url, feedCheckMs: 1_000 });
  const tasks = await Promise.all(Array.from({ length: 20 }, () => send(checked.url, userMessage('ask'))));
  const streams = await Promise.all(tasks.map(({ id }) => openRaw(`${checked.url}/tasks/${id}:subscribe`)));
  await ledger.quiet();
  const { commands } = await ledger.during(() => ledger.next('evalsha'));
  keepBudget('checksOfStreams', commands.length);
  expect(commands).toEqual(['evalsha']);
  for (const stream of streams) stream[Symbol.dispose]();
});
