import { CALLERS, etagsOf, httpRate } from '../../bench/measure/http.ts';
import { sendMessage } from '../../bench/measure/rpc.ts';
import type { Stage } from '../../bench/measure/stage.ts';
import type { Cost } from './figures.ts';
import { costOf, dividedBy, leastOf, watchedOn } from './meter.ts';

/** Whole ones: the load generator ends at one. */
const SECONDS = 2;
const ROUNDS = 3;

/** GetTask of small tasks, with and without the ETag. Each caller asks for another one: equal questions cost less. */
export async function measurePolls(stage: Stage): Promise<Record<'poll' | 'unchanged', Cost>> {
  const { url } = stage.gateway;
  const tasks = await Promise.all(Array.from({ length: CALLERS }, () => sendMessage(url, 'done')));
  const paths = tasks.map(({ id }) => `/tasks/${id}`);
  const polls = async (condition: { readonly etags?: readonly string[] }): Promise<Cost> => {
    await httpRate({ url, paths, ...condition, seconds: 1 });
    return leastOf(ROUNDS, async () => {
      let count = 0;
      const cost = await costOf(watchedOn(stage), async () => {
        count = (await httpRate({ url, paths, ...condition, seconds: SECONDS })) * SECONDS;
      });
      return dividedBy(cost, count);
    });
  };
  return { poll: await polls({}), unchanged: await polls({ etags: await etagsOf({ url, paths }) }) };
}
