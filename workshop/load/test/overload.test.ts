import { expect, it } from 'vitest';
import { measureOverload } from '../overload.ts';

// `npm run workshop overload` measures it on an idle machine.
it('of ten times as many messages as the workers can process, most are refused, and the others end soon', async () => {
  const { normal, overload, lost } = await measureOverload({ normalMs: 600, overloadMs: 2_000 });
  expect([normal.others, overload.others, lost]).toEqual([{}, {}, 0]);
  expect(normal.taken.count).toBeGreaterThan(3);
  expect(overload.taken.count).toBeGreaterThan(20);
  expect(overload.refused.count).toBeGreaterThan(overload.taken.count);
  // Without a limit the last of a thousand would wait for half a minute, and longer on a busy machine.
  expect(overload.taken.at(90)).toBeLessThan(10_000);
}, 60_000);
