import { expect, test } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { Poller } from '../src/timing/timing.ts';

const never = 2 ** 31 - 1;

test('requests during a run cause one more run; runs do not overlap', async () => {
  const runs: PromiseWithResolvers<void>[] = [];
  let most = 0;
  let running = 0;
  const run = async (): Promise<void> => {
    most = Math.max(most, ++running);
    const { promise } = runs[runs.push(Promise.withResolvers<void>()) - 1] ?? Promise.withResolvers<void>();
    await promise;
    running--;
  };
  const poller = new Poller({ everyMs: never, run, onError: () => undefined });
  poller.request();
  expect(runs).toHaveLength(0);
  poller.start();
  for (let i = 0; i < 3; i++) poller.request();
  expect(runs).toHaveLength(1);
  runs[0]?.resolve();
  await until(() => runs.length === 2, { what: 'a second run' });
  runs[1]?.resolve();
  await poller.settled();
  expect(runs).toHaveLength(2);
  expect(most).toBe(1);
  await poller.stop();
  poller.request();
  expect(runs).toHaveLength(2);
});

test('an error is reported, and polling continues', async () => {
  const errors: unknown[] = [];
  const run = (): Promise<void> => Promise.reject(new Error('away'));
  const poller = new Poller({ everyMs: 5, run, onError: (error) => errors.push(error) });
  poller.start();
  await until(() => errors.length >= 3, { what: 'three errors' });
  await poller.stop();
});
