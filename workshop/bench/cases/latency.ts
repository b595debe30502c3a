import { quantile } from '../../statistics/quantile.ts';
import type { StreamLoad, StreamResult } from '../drivers/streams.ts';
import { compare, shortRounds } from '../measure/comparison.ts';
import { ask } from '../measure/program.ts';
import type { Stage } from '../measure/stage.ts';
import type { BenchCase } from './bench-case.ts';

const TIMES = 300;
const WARM_UP = 30;

/** Send → completed on the stream, idle, one after the other: one quantile of it beside raw BullMQ's add → done. */
function latency(id: string, share: number, bar: number): BenchCase {
  const percent = `p${share * 100}`;
  return {
    id,
    title: `Send → completed on the stream, idle, ${percent}`,
    async run(stage, rounds) {
      await stage.withWorker();
      const figures = await compare({
        unit: 'ms',
        ...shortRounds(rounds),
        ours: { name: 'Switchyard', measure: async () => quantile(await ours(stage), share) },
        others: [{ name: 'BullMQ, add → done', measure: async () => quantile(await raw(stage), share) }],
      });
      await stage.clear();
      return { ...figures, ours: 'Switchyard', bars: [{ to: 'BullMQ, add → done', at: 'most', value: bar }] };
    },
  };
}

async function ours(stage: Stage): Promise<readonly number[]> {
  const load: StreamLoad = { url: stage.gateway.url, text: 'done', clients: 1, times: TIMES };
  const { streamMs } = await ask<StreamResult>('workshop/bench/drivers/streams.ts', JSON.stringify(load));
  return streamMs.slice(WARM_UP);
}

async function raw(stage: Stage): Promise<readonly number[]> {
  const times = await ask<number[]>('workshop/bench/peers/bull.ts', stage.redisUrl, 'latency', String(TIMES));
  return times.slice(WARM_UP);
}

export const latencyMedian = latency('latency-p50', 0.5, 3);
export const latencyTail = latency('latency-p99', 0.99, 4);
