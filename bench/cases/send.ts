import { setTimeout as delay } from 'node:timers/promises';
import { cpuShares } from '../../tests/support/process-usage.ts';
import { compare } from '../measure/comparison.ts';
import { CALLERS, httpRate } from '../measure/http.ts';
import { sendBody } from '../measure/rpc.ts';
import type { Stage } from '../stage.ts';
import type { BenchCase, Figures } from './bench-case.ts';

const OURS = 'Switchyard, durable';
const SDK = 'SDK, in memory';

/** How tasks per second are measured at ours; the SDK's run all in one process, and are completed when they are answered. */
type Measure = (stage: Stage, load: Parameters<typeof httpRate>[0]) => Promise<number>;

const SECONDS = 3;

const answered: Measure = (_, load) => httpRate(load);

/** Of those that were accepted, until the last one is completed. */
const completed: Measure = async (stage, load) => {
  const count = (await answered(stage, load)) * SECONDS;
  const ended = performance.now();
  while (await stage.unfinished()) await delay(10);
  return count / (SECONDS + (performance.now() - ended) / 1_000);
};

interface Sending {
  readonly returnImmediately: boolean;
  readonly callers?: number;
  readonly measure?: Measure;
}

/** Ours beside the SDK's server. Leaves no tasks behind. */
async function rates(
  stage: Stage,
  rounds: number,
  { returnImmediately, callers = CALLERS, measure = answered }: Sending,
): Promise<Omit<Figures, 'bars'>> {
  const load = { body: sendBody('done', returnImmediately), connections: callers, seconds: SECONDS };
  const notes: Record<string, number> = {};
  const measureOurs = async (): Promise<number> => {
    const worker = stage.worker && { worker: stage.worker.pid };
    const pids = { gateway: stage.gateway.pid, redis: stage.redisPid, ...worker };
    const measured = await cpuShares(pids, () => measure(stage, { ...load, url: stage.gateway.url }));
    const waiting = (await stage.unfinished()) / (measured.result * SECONDS);
    for (const [name, share] of Object.entries(measured.shares)) notes[`cpu ${name}`] = Number(share.toFixed(2));
    if (stage.worker && measure === answered) notes['share not completed yet'] = Number(waiting.toFixed(2));
    // What is left of it, tasks to be run and a file to be rewritten, would burden whoever is measured next.
    await stage.clear();
    return measured.result;
  };
  const outcome = await compare({
    unit: 'tasks/s',
    rounds,
    warmUps: 1,
    ours: { name: OURS, measure: measureOurs },
    others: [{ name: SDK, measure: () => httpRate({ ...load, url: stage.sdk.url }) }],
  });
  return { ...outcome, ours: OURS, notes };
}

export const accept: BenchCase = {
  id: 'accept',
  title: 'SendMessage immediate, no worker runs',
  async run(stage, rounds) {
    await stage.withoutWorker();
    const figures = await rates(stage, rounds, { returnImmediately: true });
    return { ...figures, bars: [{ to: SDK, at: 'least', value: 1.5 }] };
  },
};

export const acceptWhileWorking: BenchCase = {
  id: 'accept-while-working',
  title: 'SendMessage immediate, while one worker completes tasks on the same cores',
  async run(stage, rounds) {
    await stage.withWorker();
    const figures = await rates(stage, rounds, { returnImmediately: true });
    return { ...figures, bars: [{ to: SDK, at: 'least', value: 1 }] };
  },
};

export const completeLater: BenchCase = {
  id: 'complete-later',
  title: 'Tasks accepted and completed (SendMessage immediate, until the last one is completed)',
  async run(stage, rounds) {
    await stage.withWorker();
    const figures = await rates(stage, rounds, { returnImmediately: true, measure: completed });
    return { ...figures, bars: [{ to: SDK, at: 'least', value: 0.7 }] };
  },
};

/** Tasks that are waited for: each by one of so many callers. */
function waitedFor(id: string, callers: number, bars: Figures['bars']): BenchCase {
  return {
    id,
    title: `Tasks accepted and completed (SendMessage, ${callers} callers who wait)`,
    async run(stage, rounds) {
      await stage.withWorker();
      return { ...(await rates(stage, rounds, { returnImmediately: false, callers })), bars };
    },
  };
}

/** So many keep all processes busy, each of which has every task in turn: with `CALLERS` a quarter of two cores has nothing to do. */
const MANY = 2 * CALLERS;

export const complete = waitedFor('complete', MANY, [{ to: SDK, at: 'least', value: 0.7 }]);
export const completeFew = waitedFor('complete-few', CALLERS, []);
