import { setTimeout as delay } from 'node:timers/promises';
import { Store } from '@switchyard/store';
import type { Redis } from 'ioredis';
import { userMessage } from '../../../tests/support/messages.ts';
import { median } from '../../statistics.ts';
import { atMost, type Contest, type Row } from '../measure.ts';
import type { Stage } from '../stage.ts';
import { BenchTask, beginBareAppend, benchScope, bytesOf } from '../store-task.ts';

/** The store alone in this process, without HTTP. */
const OURS = 'Switchyard';

/** A row with its own store. */
type StoreRow = Omit<Row, 'open'> & {
  readonly prefix: string;
  readonly replayMs?: number;
  readonly contest: (store: Store, stage: Stage) => Promise<Contest>;
};

function onStore({ prefix, replayMs, contest, ...row }: StoreRow): Row {
  return {
    ...row,
    async open(stage) {
      const settings = { redisUrl: stage.redisUrl, prefix, ...(replayMs !== undefined && { replayMs }) };
      const store = new Store(settings, (error) => process.stderr.write(`${error.message}\n`));
      await store.start();
      return { ...(await contest(store, stage)), close: () => store.stop() };
    },
  };
}

const FEW = 1_000;
const MANY = 1_000_000;

const list: StoreRow = {
  id: 'list',
  title: 'ListTasks, page of 50, 1,000,000 tasks beside 1,000',
  unit: 'ms',
  bars: [atMost(1.3, '1,000 tasks')],
  hasNoWorker: true,
  prefix: 'list',
  async contest(store, { redis }) {
    const scope = (subject: string) => ({ ...benchScope, principal: { ...benchScope.principal, subject } });
    const accept = (subject: string) => store.tasks.accept(scope(subject), { message: userMessage('x') });
    for (const subject of ['few', 'many'])
      for (let i = 0; i < FEW; i += 100) await Promise.all(Array.from({ length: 100 }, () => accept(subject)));
    await fillIndex(redis);
    const pageMs = (subject: string) => async (): Promise<number> => {
      const took: number[] = [];
      for (let i = 0; i < 100; i++) {
        const begun = performance.now();
        await store.tasks.list(scope(subject), { pageSize: 50 });
        took.push(performance.now() - begun);
      }
      return median(took);
    };
    return {
      ours: { name: '1,000,000 tasks', measure: pageMs('many') },
      others: [{ name: '1,000 tasks', measure: pageMs('few') }],
    };
  },
};

/** Older tasks, as index entries only: a page is found in the index, and reads only its own tasks. */
async function fillIndex(redis: Redis): Promise<void> {
  const now = Date.now() - 60_000;
  const entry = (i: number): string => `C${(now - i).toString(36).padStart(8, '0')}${i.toString(16).padStart(32, '0')}`;
  for (let made = FEW; made < MANY; made += 10_000) {
    const entries = Array.from({ length: 10_000 }, (_, i) => [0, entry(made + i)]);
    await redis.zadd('list{s0}:x:default/many/bench', ...entries.flat());
  }
}

const TASKS = 500;

const memory: StoreRow = {
  id: 'memory',
  title:
    'Redis memory of a finished small task: 2 messages, 5 events, one 200 B artifact, indexes included, its stream expired',
  unit: 'kB',
  bars: [atMost(2.5)],
  hasNoWorker: true,
  mostRounds: 1,
  prefix: 'memory',
  replayMs: 1,
  contest: async (store, { redis }) => ({
    ours: {
      name: OURS,
      async measure() {
        for (let i = 0; i < TASKS; i++) await (await BenchTask.small(store)).complete('Your pizza is on its way.');
        await delay(3_000); // Redis expires streams itself
        // Not the jobs, which only a worker removes. (The memory of the whole Redis would include its buffers.)
        const keys = (await redis.keys('memory{s0}:*')).filter((key) => !key.startsWith('memory{s0}:q:'));
        return (await bytesOf(redis, keys)) / TASKS / 1_000;
      },
    },
  }),
};

/** Number of turns that stream together: an idle Redis would be measured while it wakes up. */
const STREAMS = 8;
/** A task to append chunks to. */
type Chunked = Pick<BenchTask, 'chunks'>;

/** Redis' time for a call that appends `together` chunks, at this chunk number of each stream. */
const appends: readonly StoreRow[] = [
  { id: 'append', at: 100, together: 1, most: 20 },
  { id: 'append-far', at: 50_000, together: 1, most: 20 },
  { id: 'append-ten', at: 100, together: 10, most: 100 },
  { id: 'append-ten-far', at: 50_000, together: 10, most: 100 },
].map(({ id, at, together, most }) => ({
  id,
  title: `Append of ${together === 1 ? 'one chunk' : `${together} chunks in one call`}, at chunk ${at.toLocaleString('en')} of ${STREAMS} streams`,
  unit: 'µs in Redis',
  isShort: true,
  bars: [atMost(most)],
  hasNoWorker: true,
  prefix: 'time',
  async contest(store, { redis }) {
    const streams = <T>(begin: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: STREAMS }, begin));
    const tasks = await streams(() => BenchTask.begin(store));
    const bare = await streams(() => beginBareAppend(redis));
    const append = (to: readonly Chunked[], count: number, inOneCall: number): Promise<unknown> =>
      Promise.all(to.map((one) => one.chunks(count, inOneCall)));
    const measured = (to: readonly Chunked[]) => () => scriptMicros(redis, () => append(to, 200, together));
    for (const to of [tasks, bare]) await append(to, at, 32);
    return {
      ours: { name: OURS, measure: measured(tasks) },
      others: [{ name: 'a bare script', measure: measured(bare) }],
    };
  },
}));

const reads: readonly StoreRow[] = [
  { id: 'read', title: 'GetTask of 25 KB', bytes: 25_000, most: 60 },
  { id: 'read-large', title: 'GetTask of a 1 MB artifact', bytes: 1_000_000, most: 300 },
].map(({ id, title, bytes, most }) => ({
  id,
  title,
  unit: 'µs in Redis',
  bars: [atMost(most)],
  hasNoWorker: true,
  prefix: 'time',
  async contest(store, { redis }) {
    const task = await BenchTask.begin(store);
    if (bytes > 100_000) await task.chunk('x'.repeat(bytes));
    else for (let i = 0; i < 99; i++) await task.working('y'.repeat(60));
    await task.flush();
    const read = async (): Promise<void> => {
      for (let i = 0; i < 300; i++) await task.read();
    };
    const notes = { bytes: await task.read() };
    return { ours: { name: OURS, measure: () => scriptMicros(redis, read) }, notes };
  },
}));

/** Microseconds of Redis' time per script call during an action. */
async function scriptMicros(redis: Redis, act: () => Promise<unknown>): Promise<number> {
  await redis.config('RESETSTAT');
  await act();
  const [, calls = '1', micros = '0'] =
    /cmdstat_evalsha:calls=(\d+),usec=(\d+)/.exec(await redis.info('commandstats')) ?? [];
  return Number(micros) / Number(calls);
}

export const storeRows: readonly Row[] = [list, memory, ...appends, ...reads].map(onStore);
