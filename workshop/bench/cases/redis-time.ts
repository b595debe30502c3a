import { Store } from '@switchyard/store';
import { median } from '../../statistics/quantile.ts';
import { compare, type Outcome, shortRounds } from '../measure/comparison.ts';
import { scriptMicros } from '../measure/redis-time.ts';
import type { Stage } from '../measure/stage.ts';
import { BareAppend } from '../peers/bare-append.ts';
import type { BenchCase, Figures } from './bench-case.ts';
import { BenchTask } from './bench-task.ts';

const OURS = 'Switchyard';

/** One figure of Redis' own time, median of the rounds. */
async function micros(rounds: number, measure: () => Promise<number>): Promise<Outcome> {
  const values: number[] = [];
  for (let round = 0; round < rounds; round++) values.push(await measure());
  return { unit: 'µs in Redis', values: { [OURS]: [median(values)] }, ratios: {} };
}

/** The store alone, without HTTP: what one process asks of Redis. */
async function withStore(stage: Stage, act: (store: Store) => Promise<Figures>): Promise<Figures> {
  const store = new Store({ redisUrl: stage.redisUrl, prefix: 'time' }, (error) =>
    process.stderr.write(`${error.message}\n`),
  );
  await store.start();
  try {
    return await act(store);
  } finally {
    await store.stop();
    await stage.clear();
  }
}

/** A task that chunks are appended to. */
type Chunked = Pick<BenchTask, 'chunks'>;

/** Turns that stream at once: a Redis that sleeps between two calls is measured waking up. */
const STREAMS = 8;

/** Redis' time for a call that appends `together` chunks, at the chunk of this number of each stream. */
function appendCase(id: string, { at, together, bar }: { at: number; together: number; bar: number }): BenchCase {
  return {
    id,
    title: `Append of ${together === 1 ? 'one chunk' : `${together} chunks in one call`}, at chunk ${at.toLocaleString('en')} of ${STREAMS} streams`,
    run: (stage, rounds) =>
      withStore(stage, async (store) => {
        const streams = <T>(begin: () => Promise<T>): Promise<T[]> =>
          Promise.all(Array.from({ length: STREAMS }, begin));
        const tasks = await streams(() => BenchTask.begin(store));
        const bare = await streams(() => BareAppend.begin(stage.redis));
        const append = (to: readonly Chunked[], count: number, inOneCall: number): Promise<unknown> =>
          Promise.all(to.map((one) => one.chunks(count, inOneCall)));
        const measured = (to: readonly Chunked[]) => () => scriptMicros(stage.redis, () => append(to, 200, together));
        for (const to of [tasks, bare]) await append(to, at, 32);
        const outcome = await compare({
          unit: 'µs in Redis',
          ...shortRounds(rounds),
          ours: { name: OURS, measure: measured(tasks) },
          others: [{ name: 'a bare script', measure: measured(bare) }],
        });
        return { ...outcome, ours: OURS, bars: [{ at: 'most', value: bar }] };
      }),
  };
}

function readCase(id: string, { title, bytes, bar }: { title: string; bytes: number; bar: number }): BenchCase {
  return {
    id,
    title,
    run: (stage, rounds) =>
      withStore(stage, async (store) => {
        const task = await BenchTask.begin(store);
        if (bytes > 100_000) await task.chunk('x'.repeat(bytes));
        else for (let i = 0; i < 99; i++) await task.say('y'.repeat(60));
        const read = async (): Promise<void> => {
          for (let i = 0; i < 300; i++) await task.read();
        };
        const figures = await micros(rounds, () => scriptMicros(stage.redis, read));
        return {
          ...figures,
          ours: OURS,
          bars: [{ at: 'most', value: bar }],
          notes: { bytes: await task.read() },
        };
      }),
  };
}

export const redisTimes: readonly BenchCase[] = [
  appendCase('append', { at: 100, together: 1, bar: 20 }),
  appendCase('append-far', { at: 50_000, together: 1, bar: 20 }),
  appendCase('append-ten', { at: 100, together: 10, bar: 100 }),
  appendCase('append-ten-far', { at: 50_000, together: 10, bar: 100 }),
  readCase('read', { title: 'GetTask of 25 KB', bytes: 25_000, bar: 60 }),
  readCase('read-large', { title: 'GetTask of a 1 MB artifact', bytes: 1_000_000, bar: 300 }),
];
