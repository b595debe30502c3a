import { quantile } from '../../statistics/quantile.ts';
import type { FanOut, FanOutResult } from '../drivers/subscribers.ts';
import { ask } from '../measure/program.ts';
import { sendMessage } from '../measure/rpc.ts';
import type { BenchCase } from './bench-case.ts';

/** The first events of a round meet subscribers that have heard none, and a gateway that has never told so many. */
const WARM_UP = 10;

export const fanOut: BenchCase = {
  id: 'fan-out',
  title: 'One event to 1,000 subscribers of one task, until the last has it, p99',
  async run(stage, rounds) {
    await stage.withWorker();
    const lastMs: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const { id } = await sendMessage(stage.gateway.url, 'ask');
      const load: FanOut = { url: stage.gateway.url, taskId: id, subscribers: 1_000, messages: 40 };
      const answer = await ask<FanOutResult>('workshop/bench/drivers/subscribers.ts', JSON.stringify(load));
      lastMs.push(...answer.lastMs.slice(WARM_UP));
    }
    await stage.clear();
    const values = { Switchyard: [quantile(lastMs, 0.99)], median: [quantile(lastMs, 0.5)] };
    return { unit: 'ms', values, ratios: {}, ours: 'Switchyard', bars: [{ at: 'most', value: 50 }] };
  },
};
