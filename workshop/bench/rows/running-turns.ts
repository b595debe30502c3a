import { setTimeout as delay } from 'node:timers/promises';
import { type Consumer, Store, type TurnJob } from '@switchyard/store';
import { userMessage } from '../../../tests/support/messages.ts';
import { until } from '../../../tests/support/until.ts';
import { atMost, type Row } from '../measure.ts';
import { shareOfCore } from '../share-of-core.ts';
import { benchScope } from '../store-task.ts';

const MEASURED_MS = 5_000;
/** Messages that are sent together. */
const TOGETHER = 200;

/** Turns that run and do nothing, in one process: what keeps them alive. */
export const runningTurnRows: readonly Row[] = [
  { id: 'running-turns-short', count: 1_000, most: 3 },
  { id: 'running-turns', count: 10_000, most: 3 },
  { id: 'running-turns-many', count: 100_000, most: 20 },
].map(({ id, count, most }) => ({
  id,
  title: `Redis beside ${count.toLocaleString('en')} turns that run and publish nothing`,
  unit: '% of a core',
  bars: [atMost(most)],
  hasNoWorker: true,
  warmUps: 0,
  mostRounds: 3,
  async open({ redis, redisUrl }) {
    const running = await runTurns(redisUrl, count);
    return {
      ours: { name: 'Switchyard', measure: () => shareOfCore(redis, MEASURED_MS) },
      close: () => running.stop(),
    };
  },
}));

async function runTurns(redisUrl: string, count: number): Promise<{ stop(): Promise<void> }> {
  const store = new Store({ redisUrl, prefix: 'running' }, (error) => process.stderr.write(`${error.message}\n`));
  await store.start();
  const ended = Promise.withResolvers<void>();
  let begun = 0;
  const consumer: Consumer<TurnJob> = store.turns.consume({
    queue: benchScope.agent,
    concurrency: count,
    onError: (error) => process.stderr.write(`${error.message}\n`),
    async run(job) {
      const turn = await job.begin({ onCancel: () => undefined, onFenced: () => undefined });
      begun++;
      await ended.promise;
      if (typeof turn !== 'string') await turn.handBack(false);
      return 'requeue';
    },
  });
  await consumer.start();
  for (let sent = 0; sent < count; sent += TOGETHER)
    await Promise.all(
      Array.from({ length: TOGETHER }, () => store.tasks.accept(benchScope, { message: userMessage('work') })),
    );
  await until(() => begun >= count, { what: 'all turns run', timeoutMs: 120_000 });
  await delay(2_000); // until what began them is over
  return {
    async stop() {
      await consumer.pause();
      ended.resolve();
      await consumer.stop();
      await store.stop();
    },
  };
}
