import { compare } from '../measure/comparison.ts';
import { httpRate } from '../measure/http.ts';
import { serve } from '../measure/program.ts';
import { sendBody } from '../measure/rpc.ts';
import type { BenchCase } from './bench-case.ts';

const OURS = 'Switchyard, durable';
const MEMORY = 'SDK, in memory';
const DURABLE = 'SDK, tasks in Redis';
const LIMIT = 'Express, one bare script';

/** From one caller, who feels each hop, to more than the processes can take. */
const callers = [1, 8, 32, 64, 256];

/** One point: so many callers, a worker on the same cores. A durable user would pick ours or `DURABLE`. */
function point(connections: number, returnImmediately: boolean): BenchCase {
  const kind = returnImmediately ? 'immediate' : 'blocking';
  return {
    id: `curve-${kind}-${connections}`,
    title: `SendMessage ${kind}, ${connections} ${connections === 1 ? 'caller' : 'callers'}`,
    async run(stage, rounds) {
      await stage.withWorker();
      const durable = await serve('workshop/bench/peers/sdk-server.ts', stage.redisUrl);
      const bare = await serve('workshop/bench/peers/bare-script.ts', stage.redisUrl);
      const load = { body: sendBody('done', returnImmediately), connections, seconds: 1 };
      // What is left of a load, tasks to be run and keys, would burden whoever is measured next.
      const rate = (url: string) => async (): Promise<number> => {
        const perSecond = await httpRate({ ...load, url });
        await stage.clear();
        return perSecond;
      };
      try {
        const figures = await compare({
          unit: 'tasks/s',
          rounds,
          warmUps: 1,
          ours: { name: OURS, measure: rate(stage.gateway.url) },
          others: [
            { name: MEMORY, measure: rate(stage.sdk.url) },
            { name: DURABLE, measure: rate(durable.url) },
            { name: LIMIT, measure: rate(bare.url) },
          ],
        });
        return { ...figures, ours: OURS, bars: [{ to: DURABLE, at: 'least', value: 1 }] };
      } finally {
        await Promise.all([durable.stop(), bare.stop()]);
      }
    },
  };
}

export const curve: readonly BenchCase[] = [true, false].flatMap((returnImmediately) =>
  callers.map((connections) => point(connections, returnImmediately)),
);
