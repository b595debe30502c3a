import { httpRate } from '../../bench/measure/http.ts';
import { sendMessage } from '../../bench/measure/rpc.ts';
import type { Cost } from '../figures/figures.ts';
import type { Deployment } from './deployment.ts';
import { costOf, dividedBy, leastOf } from './meter.ts';

/** Whole ones: the load generator ends at one. */
const SECONDS = 2;
const ROUNDS = 3;

/** GetTask of a small task, with and without the ETag. */
export async function measurePolls(deployment: Deployment): Promise<Record<'poll' | 'unchanged', Cost>> {
  const { id } = await sendMessage(deployment.url, 'done');
  const url = `${deployment.url}/tasks/${id}`;
  const etag = (await fetch(url)).headers.get('etag') ?? '';
  const polls = async (headers: Readonly<Record<string, string>>): Promise<Cost> => {
    await httpRate({ url, headers, seconds: 1 });
    return leastOf(ROUNDS, async () => {
      let count = 0;
      const cost = await costOf(deployment.watched, async () => {
        count = (await httpRate({ url, headers, seconds: SECONDS })) * SECONDS;
      });
      return dividedBy(cost, count);
    });
  };
  return { poll: await polls({}), unchanged: await polls({ 'if-none-match': etag }) };
}
