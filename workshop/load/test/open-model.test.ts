import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../statistics.ts';
import { arrivals, keepPace } from '../open-model.ts';
import { completed, startOddAgent } from './support/odd-agent.ts';
import { load, words } from './support/run-load.ts';

describe('arrivals', () => {
  const timesOf = (seed: number, count: number, rate = 100): number[] =>
    arrivals({ rateAt: () => rate, peak: rate, random: new SeededRandom(seed) })
      .take(count)
      .toArray();

  it('have the requested rate, and are reproduced by their seed', () => {
    const times = timesOf(7, 10_000);
    expect(times.at(-1)).toBeGreaterThan(97_000);
    expect(times.at(-1)).toBeLessThan(103_000);
    expect(timesOf(7, 10_000)).toEqual(times);
    expect(timesOf(8, 10)).not.toEqual(times.slice(0, 10));
  });

  it('are a Poisson process: 1/e of the gaps are longer than the mean', () => {
    const times = timesOf(1, 10_000);
    const longer = times.filter((time, i) => time - (times[i - 1] ?? 0) > 10).length;
    expect(longer / times.length).toBeCloseTo(Math.exp(-1), 1);
  });

  it('follow a changing rate', () => {
    const rateAt = (ms: number): number => (ms % 1_000 < 500 ? 20 : 200);
    const times = arrivals({ rateAt, peak: 200, random: new SeededRandom(3) })
      .take(11_000)
      .toArray();
    const quiet = times.filter((ms) => ms % 1_000 < 500).length;
    expect(quiet / times.length).toBeCloseTo(1 / 11, 2);
  });
});

it('a late arrival counts from the time when it was due, so that a stalled generator does not hide it', async () => {
  const due: number[] = [];
  const start = performance.now();
  const act = async (dueAt: number): Promise<void> => {
    due.push(dueAt - start);
    while (performance.now() - start < 150); // blocks the event loop
  };
  await keepPace({ arrivals: [20, 40, 60, 160].values(), signal: new AbortController().signal, act });
  const [first = 0, second = 0, third = 0, last = 0] = due;
  expect(first).toBeGreaterThanOrEqual(20);
  // Both were started 150 ms after the first.
  expect(third - second).toBeCloseTo(20, 3);
  expect(second).toBeLessThan(60);
  expect(last).toBeGreaterThanOrEqual(160);
});

it('a stalled server is slow for all requests that were due meanwhile, not only for those in progress', async () => {
  let stalledUntil = 0;
  await using agent = await startOddAgent(async (response, { number }) => {
    if (number === 60) stalledUntil = performance.now() + 800;
    await delay(Math.max(0, stalledUntil - performance.now()));
    completed(response);
  });
  // With six connections, a client that waits for each answer would measure only six slow requests of 200.
  const line = `steady --url ${agent.url} --rate 100 --duration 2s --connections 6 --warm-up 0ms`;
  const { report } = await load(words(line));
  expect(report.operations[0]?.latency?.p90).toBeGreaterThan(300);
  expect(report.offered).toBe(report.requests);
});
