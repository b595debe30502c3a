import { expect, test } from 'vitest';
import { everything, runChaos } from '../chaos.ts';

/** The others take too long for a test, or have their own tests. */
const quick =
  /^(?:worker killed|worker stopped|gateway killed|Redis killed|Redis frozen|replies of Redis lost, at once)$/;

// The short form of `npm run faults`, with fewer tasks and faults.
test('whatever is killed, every accepted task ends once, with the same result as without faults', async () => {
  const seed = Number(process.env.FAULTS_SEED ?? Date.now() % 100_000);
  const { violations, tasks, faults } = await runChaos({
    ...everything,
    faults: everything.faults.filter(({ name }) => quick.test(name)),
    tasks: 150,
    count: 6,
    seed,
    clients: 10,
    pauseMs: [500, 1_500],
    retentionMs: 15_000,
    log: () => undefined,
  });
  expect(violations.slice(0, 10), `seed ${seed}, ${JSON.stringify(faults)}`).toEqual([]);
  expect(tasks).toBeGreaterThanOrEqual(150);
});
