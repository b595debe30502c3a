import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { checkoutOf, NoPreviousRelease, previousCommit } from '../../workshop/upgrade/previous-release.ts';
import { runUpgrade } from '../../workshop/upgrade/run-upgrade.ts';
import { patience } from '../support/until.ts';

/** Time to replace one program on a busy machine. */
const PAUSE_MS = 5_000 * patience;

// The short form of `npm run workshop upgrade`.
test('an upgrade under load and back: no request fails, no task is lost', async ({ skip }) => {
  const before = await checkoutOf(await previousCommit()).catch((error: unknown) => {
    if (error instanceof NoPreviousRelease) return skip(error.message);
    throw error;
  });
  const after = fileURLToPath(new URL('../..', import.meta.url));
  const seed = Date.now() % 100_000;
  // How far it came is said even if it never ends.
  const log = (line: string): void => void process.stdout.write(`upgrade: ${line}\n`);
  const report = await runUpgrade({ before, after, forMs: 0, clients: 6, seed, log });
  expect(report.violations.slice(0, 10), `seed ${seed}`).toEqual([]);
  expect(report.failed.slice(0, 10), `seed ${seed}`).toEqual([]);
  expect(report).toMatchObject({ replaced: 12, spanning: 15, isMigrated: true });
  expect(report.tasks).toBeGreaterThan(50);
  expect(report.worstPauseMs).toBeLessThan(PAUSE_MS);
});
