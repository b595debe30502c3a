import { expect, it } from 'vitest';
import { measureOverload } from '../overload.ts';

// `npm run workshop overload` measures it on an idle machine.
it('of ten times as many messages as the workers can process, most are refused, and the others end', async () => {
  const { normal, overload, lost } = await measureOverload({ normalMs: 600, overloadMs: 2_000 });
  expect([normal.others, overload.others, lost]).toEqual([{}, {}, 0]);
  expect(normal.taken.count).toBeGreaterThan(0);
  expect(overload.taken.count).toBeGreaterThan(0);
  // Without a limit none is refused, and the last of a thousand waits for half a minute.
  expect(overload.refused.count).toBeGreaterThan(overload.taken.count);
});
