import { describe, expect, it } from 'vitest';
import { quantile } from '../../bench/measure/statistics.ts';
import { Chance } from '../simulation/engine/chance.ts';
import { Clock } from '../simulation/engine/clock.ts';
import { Station } from '../simulation/engine/station.ts';

// The engine, held to what queueing theory says about the simplest queues.

interface Queue {
  readonly perSecond: number;
  readonly processors?: number;
  /** Seconds; 1 on average. */
  readonly service: (chance: Chance) => number;
}

interface Times {
  /** Before service. */
  readonly waits: readonly number[];
  /** In the system, service included. */
  readonly stays: readonly number[];
}

function times({ perSecond, processors = 1, service }: Queue, customers = 400_000): Times {
  const [clock, chance] = [new Clock(), new Chance(7)];
  const station = new Station(clock, processors);
  const [waits, stays] = [[] as number[], [] as number[]];
  const arrive = (): void => {
    const [came, seconds] = [clock.now, service(chance)];
    station.serve(seconds, () => {
      waits.push(clock.now - came - seconds);
      stays.push(clock.now - came);
    });
    clock.after(chance.exponential(1 / perSecond), arrive);
  };
  clock.after(chance.exponential(1 / perSecond), arrive);
  clock.run(customers / perSecond);
  return { waits, stays };
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const exponential = (chance: Chance): number => chance.exponential(1);

/** Within 3 %: 400,000 customers leave no more to chance. */
function expectNear(measured: number, theory: number): void {
  expect(Math.abs(measured / theory - 1), `${measured} instead of ${theory}`).toBeLessThan(0.03);
}

describe('a queue', () => {
  it('with services by chance is an M/M/1', () => {
    const { waits, stays } = times({ perSecond: 0.7, service: exponential });
    expectNear(mean(waits), 0.7 / 0.3);
    // The time in the system is exponential, too, with 1 / (µ - λ) on average.
    expectNear(quantile(stays, 0.5), Math.LN2 / 0.3);
    expectNear(quantile(stays, 0.99), Math.log(100) / 0.3);
  });

  it('with services that are all the same is an M/D/1: half the wait', () => {
    const { waits } = times({ perSecond: 0.7, service: () => 1 });
    expectNear(mean(waits), 0.7 / 0.3 / 2);
  });

  it('with three processors is an M/M/3 (Erlang C)', () => {
    const [offered, processors] = [2.1, 3];
    const { waits } = times({ perSecond: offered, processors, service: exponential });
    const busy = (offered ** processors / 6) * (processors / (processors - offered));
    const mustWait = busy / (1 + offered + offered ** 2 / 2 + busy);
    expectNear(mean(waits), mustWait / (processors - offered));
    expectNear(waits.filter((wait) => wait > 1e-9).length / waits.length, mustWait);
  });

  it('holds as many as come in the time that one stays (Little)', () => {
    const { stays } = times({ perSecond: 0.6, service: exponential });
    expectNear(0.6 * mean(stays), 0.6 / 0.4);
  });
});

describe('a station that stops for a while', () => {
  it('serves nobody until then, and then everybody, in order', () => {
    const clock = new Clock();
    const station = new Station(clock);
    const served: [number, number][] = [];
    for (let i = 0; i < 5; i++) clock.after(i, () => station.serve(0.5, () => served.push([i, clock.now])));
    clock.after(0.9, () => station.stopFor(5));
    clock.run(100);
    expect(served).toEqual([0, 1, 2, 3, 4].map((i) => [i, i === 0 ? 0.5 : 5.9 + 0.5 * i]));
  });
});

describe('the clock', () => {
  it('lets things happen in order of time, and in the order they were planned', () => {
    const [clock, chance, happened] = [new Clock(), new Chance(1), [] as number[]];
    for (let i = 0; i < 1_000; i++) {
      const at = chance.below(50);
      clock.after(at, () => happened.push(at * 1_000 + i));
    }
    clock.run(50);
    expect(happened).toHaveLength(1_000);
    expect(happened).toEqual(happened.toSorted((a, b) => a - b));
  });

  it('stops where it is told to', () => {
    const clock = new Clock();
    let isOver = false;
    clock.after(2, () => (isOver = true));
    clock.run(1);
    expect([clock.now, isOver]).toEqual([1, false]);
    clock.run(3);
    expect([clock.now, isOver]).toEqual([3, true]);
  });
});
