import { expect, it } from 'vitest';
import { measureFairness, TURN_MS } from '../fairness.ts';

// The figures are for a machine that does nothing else: `npm run fairness`.
it('a message begins soon though 800 of another tenant wait, which take 20 s', async () => {
  const { besideMs, waiting } = await measureFairness({ queued: 800, sent: 5 });
  expect(waiting).toBeGreaterThan(400);
  expect(besideMs).toBeLessThan(20 * TURN_MS);
}, 60_000);
