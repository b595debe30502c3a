import { residentBytes } from '../../../tests/support/process-usage.ts';
import { median, quantile } from '../../statistics.ts';
import { ask, fanOut, idleSubscribers, sendMessage, streams } from '../drive.ts';
import { atLeast, atMost, type Contest, type Row } from '../measure.ts';
import type { Stage } from '../stage.ts';

const OURS = 'Switchyard';
const SDK = 'SDK, in memory';
const FEW_CHUNKS = '500 chunks';
const RAW = 'BullMQ, add → done';

/** Milliseconds until every chunk has arrived as its own event, or the bench fails. */
async function chunksMs(url: string, chunks: number, clients = 1): Promise<number> {
  const { totalMs, events } = await streams({ url, text: `chunks ${chunks}`, clients, times: 1 });
  if (events < chunks * clients) throw new Error(`${events} events of ${chunks * clients} chunks arrived from ${url}`);
  return totalMs;
}

async function microsPerChunk(url: string, count: number, times: number): Promise<number> {
  const took: number[] = [];
  for (let i = 0; i < times; i++) took.push(await chunksMs(url, count));
  return (median(took) * 1_000) / count;
}

const chunksPerSecond = async (url: string): Promise<number> => 8_000_000 / (await chunksMs(url, 1_000, 8));

/** The same at our gateway and at the SDK's server. */
const besideSdk = ({ gateway, sdk }: Stage, measure: (url: string) => Promise<number>): Contest => ({
  ours: { name: OURS, measure: () => measure(gateway.url) },
  others: [{ name: SDK, measure: async () => measure(await sdk()) }],
});

const chunkRows: readonly Row[] = [
  {
    id: 'chunks',
    title: '5,000 chunks appended to one artifact and streamed to a client',
    unit: 'ms',
    bars: [atMost(1 / 25, SDK)],
    // The SDK takes half a minute for each: two rounds are enough for a factor of this size.
    mostRounds: 2,
    async open(stage) {
      await chunksMs(stage.gateway.url, 500);
      return besideSdk(stage, (url) => chunksMs(url, 5_000));
    },
  },
  {
    id: 'chunk-cost',
    title: 'Time for each chunk, 50,000 beside 500',
    unit: 'µs/chunk',
    bars: [atMost(1.2, FEW_CHUNKS)],
    open: ({ gateway: { url } }) => ({
      ours: { name: '50,000 chunks', measure: () => microsPerChunk(url, 50_000, 1) },
      others: [{ name: FEW_CHUNKS, measure: () => microsPerChunk(url, 500, 5) }],
    }),
  },
  {
    id: 'eight-streams',
    title: '8 streams of 1,000 chunks at once, chunks delivered',
    unit: 'chunks/s',
    bars: [atLeast(15, SDK)],
    async open(stage) {
      await chunksPerSecond(stage.gateway.url);
      return besideSdk(stage, chunksPerSecond);
    },
  },
];

/**
 * Not measured: the first events of a round, for subscribers that have none yet, from a gateway that never had so many.
 */
const FIRST_EVENTS = 10;

const fanOutRow: Row = {
  id: 'fan-out',
  title: 'One event to 1,000 subscribers of one task, until the last has it, p99',
  unit: 'ms',
  share: 0.99,
  bars: [atMost(50)],
  open({ gateway: { url } }) {
    const all: number[] = [];
    const notes: Record<string, number> = {};
    const measure = async (): Promise<readonly number[]> => {
      const { id: taskId } = await sendMessage(url, 'ask');
      const { lastMs } = await fanOut({ url, taskId, subscribers: 1_000, messages: 40 });
      all.push(...lastMs.slice(FIRST_EVENTS));
      notes['median, ms'] = median(all);
      return lastMs.slice(FIRST_EVENTS);
    };
    return { ours: { name: OURS, measure }, notes };
  },
};

const SUBSCRIBERS = 10_000;

const idleRow: Row = {
  id: 'idle-subscribers',
  title: 'Memory of the gateway for each of 10,000 idle subscribers',
  unit: 'KB',
  mostRounds: 1,
  bars: [atMost(25)],
  open: (stage) => ({ ours: { name: OURS, measure: () => kilobytesOfSubscriber(stage) } }),
};

async function kilobytesOfSubscriber(stage: Stage): Promise<number> {
  const gateway = await stage.freshGateway();
  const { id: taskId } = await sendMessage(gateway.url, 'ask');
  const before = residentBytes(gateway.pid);
  const clients = await idleSubscribers({ url: gateway.url, taskId, subscribers: SUBSCRIBERS });
  const kilobytes = (residentBytes(gateway.pid) - before) / SUBSCRIBERS / 1_024;
  await clients.stop();
  await gateway.stop();
  return kilobytes;
}

const TIMES = 300;
const FIRST_TIMES = 30;

/** A quantile compared with raw BullMQ's add → done. */
const latencyRows: readonly Row[] = [
  { share: 0.5, most: 3 },
  { share: 0.99, most: 4 },
].map(({ share, most }) => {
  const late = (times: readonly number[]): number => quantile(times.slice(FIRST_TIMES), share);
  return {
    id: `latency-p${share * 100}`,
    title: `Send → completed on the stream, idle, p${share * 100}`,
    unit: 'ms',
    isShort: true,
    bars: [atMost(most, RAW)],
    open: ({ gateway: { url }, redisUrl }) => {
      const ours = async () => late((await streams({ url, text: 'done', clients: 1, times: TIMES })).streamMs);
      const raw = async () => late(await ask('workshop/bench/peers/bull.ts', redisUrl, 'latency', String(TIMES)));
      return { ours: { name: OURS, measure: ours }, others: [{ name: RAW, measure: raw }] };
    },
  };
});

export const streamRows: readonly Row[] = [...chunkRows, fanOutRow, idleRow, ...latencyRows];
