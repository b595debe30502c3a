import { setTimeout as delay } from 'node:timers/promises';
import { cpuShares } from '../../tests/support/process-usage.ts';
import { compare } from '../measure/comparison.ts';
import { httpRate } from '../measure/http.ts';
import { sendBody } from '../measure/rpc.ts';
import type { Stage } from '../stage.ts';
import type { BenchCase, Figures } from './bench-case.ts';

const OURS = 'Switchyard, durable';
const SDK = 'SDK, in memory';

/** How tasks per second are measured at ours; the SDK's run all in one process, and are completed when they are answered. */
type Measure = (stage: Stage, body: string) => Promise<number>;

const SECONDS = 3;

const answered: Measure = (stage, body) => httpRate({ url: stage.gateway.url, body, seconds: SECONDS });

/** Of those that were accepted, until the last one is completed. */
const completed: Measure = async (stage, body) => {
  while (await stage.unfinished()) await delay(10); // of the warm-up
  const count = (await answered(stage, body)) * SECONDS;
  const ended = performance.now();
  while (await stage.unfinished()) await delay(10);
  return count / (SECONDS + (performance.now() - ended) / 1_000);
};

/** Ours beside the SDK's server. Leaves no tasks behind. */
async function rates(
  stage: Stage,
  rounds: number,
  { returnImmediately, measure = answered }: { readonly returnImmediately: boolean; readonly measure?: Measure },
): Promise<Omit<Figures, 'bars'>> {
  const body = sendBody('done', returnImmediately);
  const notes: Record<string, number> = {};
  const measureOurs = async (): Promise<number> => {
    // Unlike the SDK's server, a worker begins anew each time.
    await httpRate({ url: stage.gateway.url, body, seconds: stage.worker ? 4 : 1.5 });
    const worker = stage.worker && { worker: stage.worker.pid };
    const pids = { gateway: stage.gateway.pid, redis: stage.redisPid, ...worker };
    const before = await stage.unfinished();
    const measured = await cpuShares(pids, () => measure(stage, body));
    const waiting = ((await stage.unfinished()) - before) / (measured.result * SECONDS);
    for (const [name, share] of Object.entries(measured.shares)) notes[`cpu ${name}`] = Number(share.toFixed(2));
    if (stage.worker && measure === answered) notes['share not completed yet'] = Number(waiting.toFixed(2));
    // What is left of it, tasks to be run and a file to be rewritten, would burden whoever is measured next.
    await stage.clear();
    return measured.result;
  };
  await httpRate({ url: stage.sdk.url, body, seconds: 1.5 });
  const outcome = await compare({
    unit: 'tasks/s',
    rounds,
    ours: { name: OURS, measure: measureOurs },
    others: [{ name: SDK, measure: () => httpRate({ url: stage.sdk.url, body, seconds: SECONDS }) }],
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

export const complete: BenchCase = {
  id: 'complete',
  title: 'Tasks accepted and completed (SendMessage whose callers wait)',
  async run(stage, rounds) {
    await stage.withWorker();
    const figures = await rates(stage, rounds, { returnImmediately: false });
    return { ...figures, bars: [{ to: SDK, at: 'least', value: 0.7 }] };
  },
};
