import { Store } from '@switchyard/store';
import { userMessage } from '../../../tests/support/messages.ts';
import { median } from '../../statistics/quantile.ts';
import { compare } from '../measure/comparison.ts';
import type { Stage } from '../measure/stage.ts';
import type { BenchCase } from './bench-case.ts';
import { benchScope } from './bench-task.ts';

const FEW = 1_000;
const MANY = 1_000_000;

const few = { ...benchScope, principal: { ...benchScope.principal, subject: 'few' } };
const many = { ...benchScope, principal: { ...benchScope.principal, subject: 'many' } };

export const list: BenchCase = {
  id: 'list',
  title: 'ListTasks, page of 50, 1,000,000 tasks beside 1,000',
  async run(stage, rounds) {
    await stage.withoutWorker();
    const settings = { redisUrl: stage.redisUrl, prefix: 'list' };
    const store = new Store(settings, (error) => process.stderr.write(`${error.message}\n`));
    await store.start();
    const accept = (scope: typeof few): Promise<unknown> => store.tasks.accept(scope, { message: userMessage('x') });
    for (let i = 0; i < FEW; i += 100) await Promise.all(Array.from({ length: 100 }, () => accept(few)));
    for (let i = 0; i < FEW; i += 100) await Promise.all(Array.from({ length: 100 }, () => accept(many)));
    await fillIndex(stage);
    const pageMs = (scope: typeof few) => async (): Promise<number> => {
      const took: number[] = [];
      for (let i = 0; i < 100; i++) {
        const begun = performance.now();
        await store.tasks.list(scope, { pageSize: 50 });
        took.push(performance.now() - begun);
      }
      return median(took);
    };
    const figures = await compare({
      unit: 'ms',
      rounds,
      ours: { name: '1,000,000 tasks', measure: pageMs(many) },
      others: [{ name: '1,000 tasks', measure: pageMs(few) }],
    });
    await store.stop();
    await stage.clear();
    return { ...figures, ours: '1,000,000 tasks', bars: [{ to: '1,000 tasks', at: 'most', value: 1.3 }] };
  },
};

/**
 * Older tasks of the busy principal, as index entries only: a page is found in the index, and reads only what is on it.
 */
async function fillIndex({ redis }: Stage): Promise<void> {
  const index = 'list{s0}:x:default/many/bench';
  const now = Date.now() - 60_000;
  for (let made = FEW; made < MANY; made += 10_000) {
    const entries: (string | number)[] = [];
    for (let i = made; i < made + 10_000; i++)
      entries.push(0, `C${(now - i).toString(36).padStart(8, '0')}${i.toString(16).padStart(32, '0')}`);
    await redis.zadd(index, ...entries);
  }
}
