import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { RateSearch } from '../ramp.ts';
import { completed, type OddAgent, startOddAgent } from './support/odd-agent.ts';
import { load, words } from './support/run-load.ts';

/** Answers one request at a time, in 10 ms each: fewer than 100 in a second. */
function startSlowAgent(): Promise<OddAgent> {
  let last: Promise<unknown> = Promise.resolve();
  return startOddAgent((response) => {
    last = last.then(() => delay(10)).then(() => completed(response));
  });
}

it('a ramp finds the highest rate that a server can handle, and one that it cannot', async () => {
  await using agent = await startSlowAgent();
  const line = `ramp --url ${agent.url} --rate 10 --peak 5000 --step 1s --max-latency 200ms --duration 25s --warm-up 0ms`;
  const { code, report, output } = await load(words(line));
  const { highestThatHeld = 0, lowestThatDidNot = 0, tried = [] } = report.ramp ?? {};
  expect(highestThatHeld).toBeGreaterThanOrEqual(20);
  // 120 in a second leave a backlog of 20 answers, of which the last comes after 200 ms: that may hold, the next
  // cannot.
  expect(highestThatHeld).toBeLessThanOrEqual(130);
  expect(lowestThatDidNot).toBeGreaterThan(highestThatHeld);
  expect(lowestThatDidNot).toBeLessThanOrEqual(160);
  expect(tried.find(({ rate }) => rate === lowestThatDidNot)).toMatchObject({
    held: false,
    because: 'p99 above 200 ms',
  });
  expect(output).toContain(`passed: ${highestThatHeld}/s held, ${lowestThatDidNot}/s did not`);
  // Errors beyond the limit are expected.
  expect([code, report.verdict.passed]).toEqual([0, true]);
});

it('a first rate that does not hold causes exit code 1', async () => {
  await using agent = await startSlowAgent();
  const line = `ramp --url ${agent.url} --rate 600 --step 1s --max-latency 100ms --duration 8s --warm-up 0ms`;
  const { code, report } = await load(words(line));
  expect([code, report.verdict.because]).toEqual([1, 'not even the first rate held']);
});

describe('the search for a rate', () => {
  /** The rates that are tried for a server with this limit. */
  function asked(limit: number, [from, to]: [number, number]): number[] {
    const search = new RateSearch(from, to);
    const rates: number[] = [];
    for (let rate = search.next; rate !== undefined; rate = search.next) {
      rates.push(rate);
      search.tried(rate, rate <= limit);
    }
    return rates;
  }

  it('doubles the rate until it does not hold, then narrows the range', () => {
    expect(asked(900, [100, 10_000])).toEqual([100, 200, 400, 800, 1_600, 1_200, 1_000, 900, 950]);
  });

  it('ends at the upper bound', () => {
    expect(asked(10_000, [100, 500])).toEqual([100, 200, 400, 500]);
  });

  it('ends at once if the first rate does not hold', () => {
    expect(asked(50, [100, 500])).toEqual([100]);
  });
});
