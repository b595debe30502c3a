import { expect, it } from 'vitest';
import { measureFairness, TURN_MS } from '../fairness.ts';

// `npm run workshop fairness` measures it on an idle machine.
it('a message begins soon, although 800 messages of another tenant wait, which take 20 s', async () => {
  const { besideMs, waiting } = await measureFairness({ queued: 800, sent: 5 });
  expect(waiting).toBeGreaterThan(400);
  expect(besideMs).toBeLessThan(20 * TURN_MS);
});
