import { setTimeout as delay } from 'node:timers/promises';
import { compare } from '../measure/comparison.ts';
import { httpRate } from '../measure/http.ts';
import { ask } from '../measure/program.ts';
import { sendBody } from '../measure/rpc.ts';
import type { Stage } from '../measure/stage.ts';
import type { BenchCase } from './bench-case.ts';

const RAW = 'BullMQ, jobs that do nothing';

/**
 * A backlog made without a worker, then worked off by one. The first half second, in which the worker starts, does not
 * count.
 */
async function drain(stage: Stage): Promise<number> {
  await stage.clear();
  await stage.withoutWorker();
  await httpRate({ url: stage.gateway.url, body: sendBody('done', true), seconds: 4 });
  const all = await stage.unfinished();
  await stage.withWorker();
  const [from, begun] = [await stage.unfinished(), performance.now()];
  while ((await stage.unfinished()) > all * 0.05) await delay(20);
  return (from - (await stage.unfinished())) / ((performance.now() - begun) / 1_000);
}

export const backlog: BenchCase = {
  id: 'drain',
  title: 'A worker draining a backlog of trivial tasks (working, completed)',
  async run(stage, rounds) {
    const figures = await compare({
      unit: 'tasks/s',
      rounds,
      ours: { name: 'Switchyard', measure: () => drain(stage) },
      others: [
        { name: RAW, measure: () => ask<number>('workshop/bench/peers/bull.ts', stage.redisUrl, 'drain', '10000') },
      ],
    });
    await stage.clear();
    return { ...figures, ours: 'Switchyard', bars: [{ to: RAW, at: 'least', value: 0.4 }] };
  },
};
