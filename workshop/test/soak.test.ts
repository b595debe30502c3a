import { expect, it } from 'vitest';
import { startProgram } from '../../tests/support/process.ts';

// Most of the time it waits until Redis has forgotten all tasks, so it runs beside other tests.
it('faults/soak.ts: Redis is as small after 4,000 tasks as after 1,500', async () => {
  const soak = await startProgram({ file: 'workshop/faults/soak.ts', args: ['--tasks', '4000', '--segments', '8'] });
  await soak.exited;
  const [, percent] = /growth of redis .*? ([-\d.]+) %$/m.exec(soak.output()) ?? [];
  expect(Number(percent), soak.output()).toBeLessThanOrEqual(5);
}, 1_200_000);
