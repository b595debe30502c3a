import { expect, it } from 'vitest';
import { patience } from '../../../tests/support/until.ts';
import { completed, startOddAgent } from './support/odd-agent.ts';
import { load, words } from './support/run-load.ts';

it('without a URL it starts its own gateway, measures the use of the processor, and stops it', async () => {
  const { code, report, output } = await load(words('steady --rate 30 --duration 2s --warm-up 500ms'));
  expect([code, report.tasks.completed]).toEqual([0, report.requests]);
  expect(Object.keys(report.cpuShares)).toEqual(['this generator', 'redis', 'gateway', 'worker']);
  expect(output).toContain('starting a gateway, a worker and a Redis');
  await expect(fetch(report.target.endpoint)).rejects.toThrow('fetch failed');
});

it('its own agent measures the delivery time of events, and ends its streams itself', async () => {
  const { code, report } = await load(words('long-streams --connections 10 --rate 50 --duration 2s --every 100ms'));
  expect(report.streams).toMatchObject({ opened: 10, most: 10, ended: 10, left: 0, holes: 0, doubles: 0 });
  const delivery = report.operations.find(({ name }) => name === 'event, from agent to client')?.latency;
  expect(delivery?.count).toBeGreaterThan(100);
  expect(delivery?.p50).toBeLessThan(1_000 * patience);
  expect(code).toBe(0);
});

it('Ctrl-C ends it early with a report', async () => {
  await using agent = await startOddAgent((response) => completed(response));
  const line = words(`steady --url ${agent.url} --rate 50 --duration 10m --warm-up 0ms`);
  const { code, report } = await load(line, async (program) => {
    await program.waitFor(/answered \d+\/s/);
    program.kill('SIGINT');
  });
  expect([code, report.isCutShort, report.errors]).toEqual([0, true, []]);
  expect(report.seconds).toBeLessThan(30);
  expect(report.requests).toBe(agent.requests);
});

it('Ctrl-C does not wait for missing answers, and does not count them as errors', async () => {
  await using agent = await startOddAgent((response, { number }) => number < 10 && completed(response));
  const line = words(`steady --url ${agent.url} --rate 50 --duration 10m --timeout 10m --warm-up 0ms`);
  const { report } = await load(line, async (program) => {
    await program.waitFor(/answered \d+\/s/);
    program.kill('SIGINT');
  });
  expect([report.requests, report.errors]).toEqual([9, []]);
});

it('secrets are not in the report', async () => {
  await using agent = await startOddAgent((response) => completed(response));
  const line = `steady --url ${agent.url} --rate 20 --duration 500ms --warm-up 0ms --api-key very-secret --bearer more-secret`;
  const { report, output } = await load(words(line));
  expect(JSON.stringify(report) + output).not.toMatch(/very-secret|more-secret/);
});
