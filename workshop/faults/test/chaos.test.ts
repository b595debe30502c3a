import { expect, test } from 'vitest';
import { runChaos } from '../chaos/run-chaos.ts';

// The short form of `npm run faults`: the same, with fewer of everything.
test('whatever is killed, every task that was accepted ends once, as it would have without', async () => {
  const seed = Number(process.env.FAULTS_SEED ?? Date.now() % 100_000);
  const { tally, tasks, deeds } = await runChaos({
    tasks: 150,
    deeds: 6,
    seed,
    clients: 10,
    pauseMs: [500, 1_500],
    retentionMs: 15_000,
    say: () => undefined,
  });
  expect(tally.examples(10), `seed ${seed}, ${JSON.stringify(deeds)}`).toEqual([]);
  expect(tasks).toBeGreaterThanOrEqual(150);
}, 120_000);
