import { httpRate } from '../../bench/measure/http.ts';
import { sendBody } from '../../bench/measure/rpc.ts';
import type { Cost } from '../figures.ts';
import type { Deployment } from './deployment.ts';
import { costOf, dividedBy, leastOf, minus } from './meter.ts';

const SECONDS = 2;
const ROUNDS = 3;

/** Of each task that is accepted while something is done, until all have ended that can. */
async function perTask(deployment: Deployment, act: () => Promise<unknown>): Promise<Cost> {
  const before = await deployment.tasks();
  const cost = await costOf(deployment.watched, act);
  return dividedBy(cost, (await deployment.tasks()) - before);
}

/** A task accepted; its turn; a client that waits for it. */
export async function measureTasks(deployment: Deployment): Promise<Record<'accept' | 'complete' | 'wait', Cost>> {
  const { url } = deployment;
  const load = async (returnImmediately: boolean, seconds = SECONDS): Promise<void> => {
    await httpRate({ url, body: sendBody('done', returnImmediately), seconds });
  };
  await load(false, 2); // the compiler has seen it
  await deployment.withoutWorker();
  const accept = await leastOf(ROUNDS, () => perTask(deployment, () => load(true)));
  await deployment.withWorker();
  await deployment.drained();
  const loadAndDrain = async (): Promise<void> => {
    await load(true);
    await deployment.drained();
  };
  const whole = await leastOf(ROUNDS, () => perTask(deployment, loadAndDrain));
  const waited = await leastOf(ROUNDS, () => perTask(deployment, () => load(false)));
  return { accept, complete: minus(whole, accept), wait: minus(waited, whole) };
}
