import { describe, expect, it } from 'vitest';
import { quantile } from '../../bench/measure/statistics.ts';
import type { History } from '../simulation/history.ts';
import { outcomeOf } from '../simulation/outcome.ts';
import { Scaler, type ScalerSettings } from '../simulation/scaler.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { simulate } from '../simulation/simulate.ts';

/** One gateway that costs nothing, one shard at 0.5 of its core, and workers in abundance. */
const simple: Scenario = {
  seed: 3,
  seconds: 60,
  costs: { acceptAtGateway: 0, acceptAtRedis: 0.000_5, completeAtWorker: 0, completeAtRedis: 0 },
  gateways: 1,
  shards: 1,
  workers: 100,
  concurrency: 100,
  turnSeconds: 0.1,
  arrivals: [{ from: 0, perSecond: 1_000 }],
  hot: { share: 0, contexts: 0 },
  networkSeconds: 0,
  storeTimeoutSeconds: 5,
  retryAfterSeconds: 1,
};

const scaler: ScalerSettings = {
  least: 2,
  most: 20,
  counts: 'waiting and active',
  jobsPerWorker: 10,
  pollSeconds: 15,
  startSeconds: 8,
  downAfterSeconds: 60,
};

const sent = (history: History): number => history.seconds.reduce((sum, second) => sum + second.sent, 0);

describe('a deployment', () => {
  it('is the same for the same seed, and another for another', () => {
    const short = { ...simple, seconds: 5 };
    expect(simulate(short).seconds).toEqual(simulate(short).seconds);
    expect(simulate({ ...short, seed: 4 }).seconds).not.toEqual(simulate(short).seconds);
  });

  it('with one shard accepts as an M/M/1 does', () => {
    const { accepts } = simulate(simple);
    const [service, arrivals] = [1 / 0.000_5, 1_000];
    const theory = Math.log(100) / (service - arrivals);
    expect(Math.abs(quantile(accepts, 0.99) / theory - 1)).toBeLessThan(0.1);
  });

  it('runs as many turns as arrive in the time that one takes (Little)', () => {
    const active = simulate(simple)
      .seconds.slice(5)
      .map((second) => second.active);
    expect(active.reduce((sum, count) => sum + count, 0) / active.length / 100).toBeCloseTo(1, 1);
  });

  it('completes what it accepts', () => {
    const history = simulate({ ...simple, arrivals: [...simple.arrivals, { from: 50, perSecond: 0 }] });
    expect(sent(history)).toBeGreaterThan(40_000);
    expect(history.completed).toBe(sent(history));
  });

  it('with too few workers lets jobs wait, and accepts as fast as before', () => {
    const history = simulate({ ...simple, workers: 1, concurrency: 50 });
    // 500 a second get a place, 500 do not.
    expect(history.seconds.at(-1)?.waiting).toBeGreaterThan(25_000);
    expect(quantile(history.accepts, 0.5)).toBeLessThan(0.001);
  });

  it('has one busy shard when most messages belong to one context', () => {
    const spread: Scenario = { ...simple, shards: 4 };
    const hot: Scenario = { ...spread, hot: { share: 0.8, contexts: 1 } };
    const busiest = (scenario: Scenario): number => outcomeOf(simulate(scenario), 0).busiestShard;
    expect(busiest(hot)).toBeGreaterThan(2 * busiest(spread));
  });
});

describe('the fail-over of a shard', () => {
  const failing: Scenario = { ...simple, failOver: { at: 20, seconds: 3, shard: 0 } };

  it('holds up what comes meanwhile, and is made up for in the time that theory says', () => {
    const { seconds } = simulate(failing);
    const late = seconds.filter(({ acceptP50 = 0 }) => acceptP50 > 0.05).map(({ at }) => at);
    // 3,000 wait when it is back; 2,000 a second are served while 1,000 come: three seconds more.
    expect([late[0], late.at(-1)]).toEqual([20, 25]);
    expect(Math.max(...simulate(failing).accepts)).toBeCloseTo(3, 1);
  });

  it('touches no other shard', () => {
    const history = simulate({ ...failing, shards: 4 });
    const within = history.seconds.slice(20, 23).map(({ acceptP50 = 0 }) => acceptP50);
    expect(Math.max(...within)).toBeLessThan(0.01);
  });

  it('is answered 503 when it takes longer than a gateway waits; the task runs once', () => {
    const long: Scenario = {
      ...simple,
      failOver: { at: 20, seconds: 8, shard: 0 },
      arrivals: [...simple.arrivals, { from: 40, perSecond: 0 }],
    };
    const history = simulate(long);
    expect(history.refused).toBeGreaterThan(2_000);
    expect(history.completed).toBe(sent(history));
  });
});

describe('the autoscaler', () => {
  it('asks for as many workers as the jobs need, within its bounds', () => {
    const decide = (waiting: number, active: number): number => new Scaler(scaler).decide(0, { waiting, active });
    expect([decide(0, 0), decide(15, 20), decide(41, 0), decide(1_000, 0)]).toEqual([2, 4, 5, 20]);
    expect(new Scaler({ ...scaler, counts: 'waiting' }).decide(0, { waiting: 0, active: 100 })).toBe(2);
  });

  it('takes workers away only when no more were needed for a while', () => {
    const patient = new Scaler(scaler);
    expect(patient.decide(0, { waiting: 100, active: 0 })).toBe(10);
    expect(patient.decide(59, { waiting: 0, active: 0 })).toBe(10);
    expect(patient.decide(60, { waiting: 0, active: 0 })).toBe(2);
  });

  it('brings workers after it has looked and they have started, and the backlog goes', () => {
    const history = simulate({ ...simple, workers: 2, concurrency: 10, scaler: { ...scaler, jobsPerWorker: 8 } });
    const grown = history.seconds.findIndex(({ workers }) => workers > 2);
    // The second that ends then.
    expect(grown + 1).toBe(15 + 8);
    expect(history.seconds.at(-1)?.waiting).toBeLessThan(50);
    const { recovery = 0, mostWaiting } = outcomeOf(history, 0);
    expect(recovery).toBeGreaterThan(grown);
    // 1,000 come, 200 get a place, for 23 seconds.
    expect(mostWaiting / (800 * 23)).toBeCloseTo(1, 1);
  });

  it('that looks at waiting jobs alone takes away the workers that it needs', () => {
    const settings: ScalerSettings = { ...scaler, counts: 'waiting', jobsPerWorker: 8, downAfterSeconds: 20 };
    const base: Scenario = { ...simple, seconds: 120, workers: 2, concurrency: 10 };
    const laterBacklog = (counts: ScalerSettings['counts']): number =>
      outcomeOf(simulate({ ...base, scaler: { ...settings, counts } }), 60).mostWaiting;
    expect(laterBacklog('waiting and active')).toBeLessThan(100);
    expect(laterBacklog('waiting')).toBeGreaterThan(1_000);
  });
});
