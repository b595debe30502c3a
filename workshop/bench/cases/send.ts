import { cpuShares } from '../../../tests/support/process-usage.ts';
import { compare } from '../measure/comparison.ts';
import { CALLERS, httpRate } from '../measure/http.ts';
import { sendBody } from '../measure/rpc.ts';
import type { Stage } from '../measure/stage.ts';
import type { BenchCase, Figures } from './bench-case.ts';

const OURS = 'Switchyard, durable';
const SDK = 'SDK, in memory';

/**
 * How tasks per second are measured at ours; the SDK's run all in one process, and are completed when they are
 * answered.
 */
type Measure = (stage: Stage, load: Parameters<typeof httpRate>[0]) => Promise<number>;

const SECONDS = 3;

const answered: Measure = (_, load) => httpRate(load);

/** Of those that were accepted, until the last one is completed. */
const completed: Measure = async (stage, load) => {
  const count = (await answered(stage, load)) * SECONDS;
  const ended = performance.now();
  await stage.untilFinished();
  return count / (SECONDS + (performance.now() - ended) / 1_000);
};

/** What callers send, and how it is measured. */
interface Load {
  readonly returnImmediately: boolean;
  readonly callers?: number;
  readonly measure?: Measure;
}

interface Sending extends Load {
  readonly title: string;
  /** One runs on the same cores. Else none does, and tasks wait. */
  readonly hasWorker: boolean;
  /** So many times the SDK's rate. */
  readonly atLeast?: number;
}

/** Ours beside the SDK's server. Leaves no tasks behind. */
function sending(id: string, { title, hasWorker, atLeast, ...load }: Sending): BenchCase {
  return {
    id,
    title,
    async run(stage, rounds) {
      await (hasWorker ? stage.withWorker() : stage.withoutWorker());
      const figures = await rates(stage, rounds, load);
      return { ...figures, bars: atLeast === undefined ? [] : [{ to: SDK, at: 'least', value: atLeast }] };
    },
  };
}

async function rates(
  stage: Stage,
  rounds: number,
  { returnImmediately, callers = CALLERS, measure = answered }: Load,
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

export const accept = sending('accept', {
  title: 'SendMessage immediate, no worker runs',
  hasWorker: false,
  returnImmediately: true,
  atLeast: 1.5,
});

export const acceptWhileWorking = sending('accept-while-working', {
  title: 'SendMessage immediate, while one worker completes tasks on the same cores',
  hasWorker: true,
  returnImmediately: true,
  atLeast: 1,
});

export const completeLater = sending('complete-later', {
  title: 'Tasks accepted and completed (SendMessage immediate, until the last one is completed)',
  hasWorker: true,
  returnImmediately: true,
  measure: completed,
  atLeast: 0.7,
});

/**
 * Each task has three processes in turn: so many callers keep all of them busy, with `CALLERS` a quarter of two cores
 * has nothing to do.
 */
const MANY = 2 * CALLERS;

const waitedForBy = (callers: number): Sending => ({
  title: `Tasks accepted and completed (SendMessage, ${callers} callers who wait)`,
  hasWorker: true,
  returnImmediately: false,
  callers,
});

export const complete = sending('complete', { ...waitedForBy(MANY), atLeast: 0.7 });
export const completeFew = sending('complete-few', waitedForBy(CALLERS));
