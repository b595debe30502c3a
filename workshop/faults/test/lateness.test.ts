import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { Deadline, eventually, isTooLate, machine, takeLate } from '../workload/lateness.ts';
import { playScenario } from '../workload/play-scenario.ts';
import { ResilientClient } from '../workload/resilient-client.ts';
import { createScenario } from '../workload/scenario.ts';

const isSlow = vi.spyOn(machine, 'isSlow');
afterEach(() => isSlow.mockReset());

/** True after so many calls. */
const after = (calls: number) => () => calls-- <= 0;

test('on a slow machine, what comes later than it should is waited for, and noted as too slow; what never comes is an error', async () => {
  isSlow.mockReturnValue(true);
  await eventually(after(0), { what: 'it comes at once', timeoutMs: 1_000 });
  expect(takeLate()).toEqual([]);
  await eventually(after(6), { what: 'it comes late', timeoutMs: 200, everyMs: 50 });
  expect(takeLate()).toEqual([expect.stringMatching(/^it comes late: after \d\.\d s$/)]);
  await expect(eventually(() => false, { what: 'it comes', timeoutMs: 10 })).rejects.toThrow('until it comes');
  expect(takeLate()).toEqual([]);
});

test('on a quiet machine, what comes later than it should is an error, and a loop is over', async () => {
  isSlow.mockReturnValue(false);
  const late = eventually(after(6), { what: 'it comes', timeoutMs: 200, everyMs: 50 });
  await expect(late).rejects.toThrow('until it comes');
  const begunMs = performance.now();
  const deadline = new Deadline('it', 20);
  await eventually(() => deadline.isOver, { what: 'it is over', timeoutMs: 25_000 });
  expect(performance.now() - begunMs).toBeGreaterThan(20);
  expect(isTooLate('it', 11, 10)).toBe(true);
  expect(isTooLate('it', 10, 10)).toBe(false);
  expect(takeLate()).toEqual([]);
});

test('on a slow machine, a loop is over after four times the time', async () => {
  isSlow.mockReturnValue(true);
  const begunMs = performance.now();
  const deadline = new Deadline('it', 20);
  await eventually(() => deadline.isOver, { what: 'it is over', timeoutMs: 25_000 });
  expect(performance.now() - begunMs).toBeGreaterThan(80);
  deadline.came();
  expect(takeLate()).toEqual([expect.stringContaining('it: after')]);
});

test('what is late by more than a slow machine explains is too late', () => {
  isSlow.mockReturnValue(true);
  expect([10, 11, 41, Number.NaN].map((ms) => isTooLate('it', ms, 10))).toEqual([false, false, true, true]);
  expect(takeLate()).toEqual(['it: 0.0 s, 0.0 s are allowed']);
});

test('a scenario that takes longer than its task is remembered cannot be judged on a slow machine', async () => {
  isSlow.mockReturnValue(true);
  const gone = createServer((_, response) => void response.writeHead(404).end('{}')).listen(0, '127.0.0.1');
  await once(gone, 'listening');
  const { port } = gone.address() as AddressInfo;
  const client = new ResilientClient({ urls: [`http://127.0.0.1:${port}`] }, 0);
  const scenario = createScenario('stream', 'a', { size: 1 });
  const inTime = await playScenario(client, scenario, { rememberedMs: 60_000 });
  expect(inTime.violations).toMatchObject([{ kind: 'lost', what: expect.stringContaining('was answered 404') }]);
  const late = await playScenario(client, scenario, { rememberedMs: 0 });
  expect(late.violations).toEqual([]);
  expect(takeLate()).toEqual([expect.stringMatching(/^too slow to be judged: stream a: .* was answered 404/)]);
  isSlow.mockReturnValue(false);
  const quiet = await playScenario(client, scenario, { rememberedMs: 0 });
  expect(quiet.violations).toMatchObject([{ kind: 'lost' }]);
  gone.close();
});
