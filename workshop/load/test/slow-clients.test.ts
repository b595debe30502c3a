import { expect, it } from 'vitest';
import { measureSlowClients } from '../slow-clients.ts';

// `npm run workshop slow-clients` measures it on an idle machine.
it('slow connections are closed in time, and other clients are served meanwhile', async () => {
  const { opened, answered, failed, closedAfterMs } = await measureSlowClients({ connections: 200, bodyMs: 2_000 });
  expect(opened).toBe(200);
  expect(closedAfterMs).toBeLessThan(15_000);
  expect(answered).toBeGreaterThan(20);
  expect(failed).toBe(0);
});
