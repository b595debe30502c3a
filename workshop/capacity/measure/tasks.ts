import { httpRate } from '../../bench/measure/http.ts';
import { sendBody } from '../../bench/measure/rpc.ts';
import type { Stage } from '../../bench/measure/stage.ts';
import type { Cost } from './figures.ts';
import { costOf, dividedBy, leastOf, minus, watchedOn } from './meter.ts';

const SECONDS = 2;
const ROUNDS = 3;

const acceptedOn = ({ redis }: Stage): Promise<number> => redis.zcard('bench{s0}:x:default/anonymous/bench');

/** Of each task that is accepted while something is done, until all have ended that can. */
async function perTask(stage: Stage, act: () => Promise<unknown>): Promise<Cost> {
  const before = await acceptedOn(stage);
  const cost = await costOf(watchedOn(stage), act);
  return dividedBy(cost, (await acceptedOn(stage)) - before);
}

/** A task accepted; its turn; a client that waits for it. */
export async function measureTasks(stage: Stage): Promise<Record<'accept' | 'complete' | 'wait', Cost>> {
  const { url } = stage.gateway;
  const load = async (returnImmediately: boolean, seconds = SECONDS): Promise<void> => {
    await httpRate({ url, body: sendBody('done', returnImmediately), seconds });
  };
  await load(false, 2); // the compiler has seen it
  await stage.withoutWorker();
  const accept = await leastOf(ROUNDS, () => perTask(stage, () => load(true)));
  await stage.withWorker();
  await stage.untilFinished();
  const loadAndDrain = async (): Promise<void> => {
    await load(true);
    await stage.untilFinished();
  };
  const whole = await leastOf(ROUNDS, () => perTask(stage, loadAndDrain));
  const waited = await leastOf(ROUNDS, () => perTask(stage, () => load(false)));
  return { accept, complete: minus(whole, accept), wait: minus(waited, whole) };
}
