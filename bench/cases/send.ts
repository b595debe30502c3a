import { cpuShares } from '../../tests/support/process-usage.ts';
import { compare } from '../measure/comparison.ts';
import { httpRate } from '../measure/http.ts';
import { sendBody } from '../measure/rpc.ts';
import type { Stage } from '../stage.ts';
import type { BenchCase, Figures } from './bench-case.ts';

const OURS = 'Switchyard, durable';
const SDK = 'SDK, in memory';

/** Ours beside the SDK's server. Leaves no tasks behind. */
async function rates(stage: Stage, rounds: number, returnImmediately: boolean): Promise<Omit<Figures, 'bars'>> {
  const body = sendBody('done', returnImmediately);
  const shares: Record<string, number> = {};
  const measureOurs = async (): Promise<number> => {
    await httpRate({ url: stage.gateway.url, body, seconds: 1.5 }); // a worker may have begun a moment ago
    const worker = stage.worker && { worker: stage.worker.pid };
    const pids = { gateway: stage.gateway.pid, redis: stage.redisPid, ...worker };
    const measured = await cpuShares(pids, () => httpRate({ url: stage.gateway.url, body }));
    Object.assign(shares, measured.shares);
    // What is left of it, tasks to be run and a file to be rewritten, would burden whoever is measured next.
    await stage.clear();
    return measured.result;
  };
  await httpRate({ url: stage.sdk.url, body, seconds: 1.5 });
  const outcome = await compare({
    unit: 'tasks/s',
    rounds,
    ours: { name: OURS, measure: measureOurs },
    others: [{ name: SDK, measure: () => httpRate({ url: stage.sdk.url, body }) }],
  });
  const notes = Object.fromEntries(
    Object.entries(shares).map(([name, share]) => [`cpu ${name}`, Number(share.toFixed(2))]),
  );
  return { ...outcome, ours: OURS, notes };
}

export const accept: BenchCase = {
  id: 'accept',
  title: 'SendMessage immediate, no worker runs',
  async run(stage, rounds) {
    await stage.withoutWorker();
    const figures = await rates(stage, rounds, true);
    return { ...figures, bars: [{ to: SDK, at: 'least', value: 1.5 }] };
  },
};

export const acceptWhileWorking: BenchCase = {
  id: 'accept-while-working',
  title: 'SendMessage immediate, one worker completes every task on the same cores',
  async run(stage, rounds) {
    await stage.withWorker();
    const figures = await rates(stage, rounds, true);
    return { ...figures, bars: [{ to: SDK, at: 'least', value: 1 }] };
  },
};

export const complete: BenchCase = {
  id: 'complete',
  title: 'Tasks accepted and completed (SendMessage whose callers wait)',
  async run(stage, rounds) {
    await stage.withWorker();
    const figures = await rates(stage, rounds, false);
    return { ...figures, bars: [{ to: SDK, at: 'least', value: 0.7 }] };
  },
};
