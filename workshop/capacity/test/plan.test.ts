import { describe, expect, it } from 'vitest';
import { defaultLoad, type Load } from '../plan/load.ts';
import { memoryBytes } from '../plan/memory.ts';
import { type Plan, planFor } from '../plan/plan.ts';
import { roundFigures } from './support/figures.ts';

const plan = (load: Partial<Load>): Plan => planFor(roundFigures, { ...defaultLoad, utilisation: 0.5, ...load });

describe('gateways', () => {
  it('are as many as the processor time of their requests takes', () => {
    // 20,000 × 100 µs are two cores, each used by half.
    expect(plan({ tasksPerSecond: 20_000 }).gateways).toEqual({ count: 4, decidedBy: 'processor' });
    expect(plan({ tasksPerSecond: 20_000, waiting: 0.5 }).gateways.count).toBe(6);
    expect(plan({ pollsPerSecond: 20_000 }).gateways.count).toBe(2);
  });

  it('hold no more streams than each may', () => {
    expect(plan({ openStreams: 100_000 }).gateways).toEqual({ count: 5, decidedBy: 'streams' });
  });
});

describe('workers', () => {
  it('are as many as turns run at the same time', () => {
    // 1,000 × 3 s are 3,000 at once; half of 100 places each.
    expect(plan({ tasksPerSecond: 1_000, turnSeconds: 3 }).workers).toEqual({ count: 60, decidedBy: 'turns' });
  });

  it('are as many as the processor time of turns takes, if those are short', () => {
    // 10,000 × 200 µs are two cores.
    const { workers } = plan({ tasksPerSecond: 10_000, turnSeconds: 0.01 });
    expect(workers).toEqual({ count: 4, decidedBy: 'processor' });
  });
});

describe('masters', () => {
  it('are one for what one core can do', () => {
    // 1,600 × 300 µs are 0.48 of a core, and two workers idle a little on it.
    expect(plan({ tasksPerSecond: 1_600, turnSeconds: 0.05 }).masters).toBe(1);
    expect(plan({ tasksPerSecond: 1_700, turnSeconds: 0.05 }).masters).toBe(2);
  });

  it('lose a part of each core to what the others publish, more to replicas', () => {
    // 20,000 × 2 messages × (2 × 1 + 2) µs are 0.16 of each core, and eight workers idle on it; 6 cores over the other 0.339.
    const quick = { tasksPerSecond: 20_000, turnSeconds: 0.001 };
    expect(plan(quick).masters).toBe(18);
    expect(plan({ ...quick, replicas: 2 }).masters).toBe(21);
    expect(plan(quick).mastersIfSharded).toBe(13);
  });

  it('are never enough when that part is all there is, and several deployments are', () => {
    // 70,000 × 2 messages × 4 µs are 0.56.
    const { masters, mastersIfSharded, deployments } = plan({ tasksPerSecond: 70_000, turnSeconds: 0.001 });
    expect(masters).toBeUndefined();
    expect(mastersIfSharded).toBeGreaterThan(42);
    expect(deployments?.count).toBeGreaterThan(1);
    expect(deployments?.masters).toBeLessThanOrEqual(16);
  });

  it('have less left the more workers ask them', () => {
    // 5,000 idle workers × 100 µs are half a core.
    expect(plan({ tasksPerSecond: 250_000, turnSeconds: 1 }).mastersIfSharded).toBeUndefined();
  });
});

it('what is kept is what ended, what runs, and what is remembered', () => {
  const load: Load = {
    ...defaultLoad,
    tasksPerSecond: 10,
    retentionSeconds: 1_000,
    replaySeconds: 100,
    turnSeconds: 2,
  };
  const ended = 10 * 1_000 * 2_000;
  const remembered = 10 * 86_400 * 200;
  expect(memoryBytes(roundFigures, load)).toBe(ended + remembered + 10 * 100 * 5_000 + 10 * 2 * 10_000);
});

it('what is written is what every task writes', () => {
  expect(plan({ tasksPerSecond: 10 }).fileBytes).toBe(30_000);
});
