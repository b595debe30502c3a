import type { TurnEvent } from '@switchyard/protocol';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { Observer } from '../src/deployment/observer.ts';
import { Shards } from '../src/deployment/shards.ts';
import type { OpenTurn } from '../src/index.ts';
import { queueRoot } from '../src/queue/queue-names.ts';
import { settingsArgValues } from '../src/record/record-args.ts';
import { type Append, Appends, appendScript } from '../src/turns/appends.ts';
import type { EncodedEvent } from '../src/turns/encoded-event.ts';
import { Encoder } from '../src/turns/encoder.ts';
import { accepted, begun } from './support/drive.ts';
import { alice, testRedis, testStore } from './support/redis.ts';

const redis = testRedis();
/** Redis may keep some more: it removes whole nodes, whose sizes depend on the ids, which differ between two tasks. */
const keptEvents = 20;
const store = await testStore({ inlineTextBytes: 60, keptEvents });
const shards = new Shards(store.settings.prefix, 1);
const subscriber = testRedis();
/** The published messages of each task's channel. */
const published = new Map<string, string[]>();
subscriber.on('smessage', (channel: string, message: string) => published.get(channel)?.push(message));
const appends = new Appends({ redis, shards, settings: store.settings, observer: new Observer() });
const scripts = vi.spyOn(redis, 'sendCommand');

/** Fields that differ between two tasks with the same events. */
const IGNORED_FIELDS = new Set([
  'time',
  'index_time',
  'token',
  'run',
  'turn',
  'status',
  'initial_entry',
  'context',
  'h',
  '@h',
  'incarnation',
  'l1',
]);

interface Batch {
  readonly number: number;
  readonly events: readonly EncodedEvent[];
}

/** Writes as the store does. @returns the number of scripts that it ran */
async function writeByStore({ start: { taskId, fence } }: OpenTurn, { number, events }: Batch): Promise<number> {
  const before = scripts.mock.calls.length;
  const append: Append = {
    taskId,
    queueRoot: queueRoot('echo', shards.of(taskId)),
    fence,
    number,
    endsJob: '',
    events,
  };
  expect(await appends.write(append)).toEqual(['appended', '']);
  return scripts.mock.calls.length - before;
}

/** Writes with append.lua only. */
async function writeByAppend({ start: { taskId, fence } }: OpenTurn, { number, events }: Batch): Promise<void> {
  const all = events.flatMap(({ args }) => args);
  const keys = shards.of(taskId);
  const head = [taskId, queueRoot('echo', keys), fence, number, '', events.length, all.length];
  expect(
    await appendScript.run(redis, {
      keys: keys.shared,
      args: { ...settingsArgValues(store.settings), turns: [...head, ...all] },
    }),
  ).toEqual([['appended', '']]);
}

/** The incarnations in a message of the channel, which differ between two tasks, too. */
const INCARNATION = /^(\d+)-[\d-]+\|/gm;

/** The stored and published contents of a task, without what differs between two tasks. */
async function contents({ start: { taskId } }: OpenTurn): Promise<unknown> {
  const keys = shards.of(taskId);
  const all = await redis.hgetall(keys.task(taskId));
  const record = Object.fromEntries(Object.entries(all).filter(([name]) => !IGNORED_FIELDS.has(name)));
  const outside = await Promise.all(
    Object.keys(record)
      .filter((name) => name.startsWith('@'))
      .map(async (name) => [name, await redis.get(record[name] ?? '')]),
  );
  const stream = await redis.xrange(keys.events(taskId), '-', '+');
  expect(stream.at(-1)?.[0]).toBe(`${all.seq}-${all.incarnation}`);
  expect(stream.length).toBeGreaterThanOrEqual(Math.min(Number(all.seq), keptEvents));
  const events = stream
    .map(([id, fields]) => [Number.parseInt(id, 10), fields] as const)
    .filter(([seq]) => seq > 1) // the first event has the time of acceptance
    .slice(-keptEvents);
  await subscriber.ping(); // its reply comes after all published messages
  const messages = published.get(keys.events(taskId))?.map((message) => message.replace(INCARNATION, '$1|'));
  return JSON.parse(JSON.stringify({ record, outside, events, messages }).replaceAll(taskId, 'task'));
}

const part = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', '"', '', '\\"}', 'x'.repeat(30)).map((text) => ({ text })) },
  { weight: 1, arbitrary: fc.constant({ text: '# Title', mediaType: 'text/markdown' }) },
  { weight: 1, arbitrary: fc.constant({ data: [1] }) },
);
/** True nine times of ten. */
const often = fc.integer({ min: 0, max: 9 }).map((n) => n > 0);
const event = fc
  .record({
    artifactId: fc.constantFrom('a', 'a', 'a', 'b', 'kept'),
    parts: fc.oneof(
      { weight: 9, arbitrary: part.map((one) => [one]) },
      { weight: 1, arbitrary: fc.array(part, { maxLength: 3 }) },
    ),
    append: often,
    hasName: often.map((flag) => !flag),
    lastChunk: fc.boolean(),
  })
  .map(({ artifactId, parts, append, hasName, lastChunk }): TurnEvent => {
    const artifact = { artifactId, parts, ...(hasName && { name: 'Report' }) };
    return { kind: 'artifact', artifact, append, lastChunk, keepsChunksApart: artifactId === 'kept' };
  });

test('the script for chunks is used, and leaves the same contents as append.lua', async () => {
  let byChunkScript = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(event, { minLength: 1, maxLength: 3 }), { minLength: 5, maxLength: 15 }),
      async (batches) => {
        const turns = [await begunTurn(), await begunTurn()] as const;
        const [byStore, byAppend] = turns;
        const encoders = turns.map(({ start }) => new Encoder(start.task, store.settings));
        let number = 1;
        for (const batch of batches) {
          const [one, other] = encoders.map((encoder) => ({ number, events: batch.map((it) => encoder.encode(it)) }));
          if (!one || !other) return;
          const count = await writeByStore(byStore, one);
          await writeByAppend(byAppend, other);
          const written = `after event ${number + batch.length - 1} of the turn`;
          expect(await contents(byStore), written).toEqual(await contents(byAppend));
          if (count === 1 && one.events.every(({ chunk }) => chunk)) byChunkScript++;
          number += batch.length;
        }
      },
    ),
    // The batch that makes a difference is the last one. Nothing is shrunk: the ids are others in each run.
    { numRuns: Number(process.env.RUNS ?? 60), endOnFailure: true },
  );
  expect(byChunkScript).toBeGreaterThan(60);
});

async function begunTurn(): Promise<OpenTurn> {
  const { taskId } = await accepted(store, alice);
  const channel = shards.of(taskId).events(taskId);
  published.set(channel, []);
  await subscriber.ssubscribe(channel);
  return begun(store, taskId);
}
