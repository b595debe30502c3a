import { median } from '../../statistics/quantile.ts';
import type { StreamLoad, StreamResult } from '../drivers/streams.ts';
import { compare } from '../measure/comparison.ts';
import { ask } from '../measure/program.ts';
import type { BenchCase } from './bench-case.ts';

const OURS = 'Switchyard';
const SDK = 'SDK, in memory';

const streams = (url: string, chunks: number, clients: number): Promise<StreamResult> => {
  const load: StreamLoad = { url, text: `chunks ${chunks}`, clients, times: 1 };
  return ask('workshop/bench/drivers/streams.ts', JSON.stringify(load));
};

/** Every chunk arrived as an event of its own, or the bench fails. */
async function streamMs(url: string, chunks: number): Promise<number> {
  const { totalMs, events } = await streams(url, chunks, 1);
  if (events < chunks) throw new Error(`${events} events of ${chunks} chunks arrived from ${url}`);
  return totalMs;
}

export const oneLongArtifact: BenchCase = {
  id: 'chunks',
  title: '5,000 chunks appended to one artifact and streamed to a client',
  async run(stage, rounds) {
    await stage.withWorker();
    await streamMs(stage.gateway.url, 500);
    // The SDK takes half a minute for each: two rounds are enough for a factor of this size.
    const figures = await compare({
      unit: 'ms',
      rounds: Math.min(rounds, 2),
      ours: { name: OURS, measure: () => streamMs(stage.gateway.url, 5_000) },
      others: [{ name: SDK, measure: () => streamMs(stage.sdk.url, 5_000) }],
    });
    await stage.clear();
    return { ...figures, ours: OURS, bars: [{ to: SDK, at: 'most', value: 1 / 25 }] };
  },
};

export const chunkAtDistance: BenchCase = {
  id: 'chunk-cost',
  title: 'Time for each chunk, 50,000 beside 500',
  async run(stage, rounds) {
    await stage.withWorker();
    const perChunk = (count: number, times: number) => async (): Promise<number> => {
      const took: number[] = [];
      for (let i = 0; i < times; i++) took.push(await streamMs(stage.gateway.url, count));
      return (median(took) * 1_000) / count;
    };
    const figures = await compare({
      unit: 'µs/chunk',
      rounds,
      ours: { name: '50,000 chunks', measure: perChunk(50_000, 1) },
      others: [{ name: '500 chunks', measure: perChunk(500, 5) }],
    });
    await stage.clear();
    return { ...figures, ours: '50,000 chunks', bars: [{ to: '500 chunks', at: 'most', value: 1.2 }] };
  },
};

export const eightStreams: BenchCase = {
  id: 'eight-streams',
  title: '8 streams of 1,000 chunks at once, chunks delivered',
  async run(stage, rounds) {
    await stage.withWorker();
    const rate = (url: string) => async (): Promise<number> => {
      const { totalMs, events } = await streams(url, 1_000, 8);
      if (events < 8_000) throw new Error(`${events} events of 8,000 chunks arrived from ${url}`);
      return 8_000 / (totalMs / 1_000);
    };
    await rate(stage.gateway.url)();
    const figures = await compare({
      unit: 'chunks/s',
      rounds,
      ours: { name: OURS, measure: rate(stage.gateway.url) },
      others: [{ name: SDK, measure: rate(stage.sdk.url) }],
    });
    await stage.clear();
    return { ...figures, ours: OURS, bars: [{ to: SDK, at: 'least', value: 15 }] };
  },
};
