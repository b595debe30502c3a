import { describe, expect, it } from 'vitest';
import { type PlacedDeployment, Placement } from '../../src/deployments/placement.ts';

const principal = (subject: string, tenant = 'default') => ({ tenant, subject, scopes: [] });
const many = Array.from({ length: 3_000 }, (_, n) => principal(`user ${n}`));
const numberOf = (deployments: readonly PlacedDeployment[], who = principal('alice'), nowMs = 1_000) =>
  new Placement(deployments).current(who, nowMs)?.number;
const earlierOf = (deployments: readonly PlacedDeployment[], who = principal('alice'), nowMs = 1_000) =>
  new Placement(deployments).earlier(who, nowMs).map(({ deployment, sinceMs }) => [deployment.number, sinceMs]);

describe('The deployment of new tasks', () => {
  it('is the same for a principal each time, and shares are kept', () => {
    const deployments = [
      { number: 0, share: 1 },
      { number: 1, share: 1 },
      { number: 2, share: 2 },
      { number: 3, share: 0 },
    ];
    const counts = new Map<number, number>();
    for (const who of many) {
      const number = numberOf(deployments, who) ?? -1;
      expect(numberOf([...deployments].reverse(), { ...who })).toBe(number);
      counts.set(number, (counts.get(number) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual([0, 1, 2]);
    expect((counts.get(2) ?? 0) / many.length).toBeGreaterThan(0.45);
    expect((counts.get(2) ?? 0) / many.length).toBeLessThan(0.55);
  });

  it('changes only for principals that move to a deployment that is added', () => {
    const before = [
      { number: 0, share: 1 },
      { number: 1, share: 1 },
    ];
    const after = [...before, { number: 2, share: 1 }];
    const moved = many.filter((who) => numberOf(before, who) !== numberOf(after, who));
    expect(moved.length).toBeGreaterThan(800);
    for (const who of moved) expect(numberOf(after, who)).toBe(2);
  });

  it('is that of its tenant, and nobody else gets that one', () => {
    const deployments = [
      { number: 0, share: 1 },
      { number: 1, share: 1, tenants: ['acme'] },
    ];
    expect(numberOf(deployments, principal('bob', 'acme'))).toBe(1);
    for (const who of many) expect(numberOf(deployments, who)).toBe(0);
  });

  it('is one that is open now', () => {
    const growing = [
      { number: 0, share: 1, closedAt: 1_000 },
      { number: 1, share: 1, opensAt: 1_000 },
    ];
    expect([999, 1_000].map((nowMs) => numberOf(growing, principal('alice'), nowMs))).toEqual([0, 1]);
    expect(numberOf([{ number: 0, share: 1, opensAt: 2_000 }])).toBeUndefined();
  });

  it('can be one that was closed, and is opened again: until then it is an earlier one', () => {
    const back = [
      { number: 0, share: 1, closedAt: 1_000, opensAt: 2_000 },
      { number: 1, share: 1, opensAt: 1_000, closedAt: 2_000 },
    ];
    expect([999, 1_000, 1_999, 2_000].map((nowMs) => numberOf(back, principal('alice'), nowMs))).toEqual([0, 1, 1, 0]);
    const opensLate = [
      { number: 0, share: 1, closedAt: 1_000, opensAt: 900_000 },
      { number: 1, share: 1 },
    ];
    expect(earlierOf(opensLate, principal('alice'), 2_000)).toEqual([[0, 1_000]]);
  });
});

describe('Earlier deployments of a principal', () => {
  it('are closed ones, the latest first, and those from which it may have been moved', () => {
    const deployments = [
      { number: 0, share: 1, closedAt: 500 },
      { number: 1, share: 1, closedAt: 700 },
      { number: 2, share: 1, closedAt: 2_000, tenants: ['acme'] },
      { number: 3, share: 1, tenants: ['acme'], movedAt: 600 },
      { number: 4, share: 1, tenants: ['acme'], formerTenants: ['initech'], movedAt: 600 },
      { number: 5, share: 1 },
    ];
    expect(earlierOf(deployments)).toEqual([
      [1, 700],
      [3, 600],
      [0, 500],
    ]);
    const ofInitech = earlierOf(deployments, principal('bob', 'initech')).map(([number]) => number);
    expect(ofInitech.sort()).toEqual([0, 1, 3, 4]);
  });

  it('are one that opens within a minute too, because a gateway whose clock is ahead uses it', () => {
    const growing = [
      { number: 0, share: 1, closedAt: 100_000 },
      { number: 1, share: 1, opensAt: 100_000 },
      { number: 2, share: 1, opensAt: 100_000, tenants: ['acme'] },
    ];
    expect(earlierOf(growing, principal('alice'), 39_999)).toEqual([]);
    expect(earlierOf(growing, principal('alice'), 40_000)).toEqual([[1, 40_000]]);
    expect(earlierOf(growing, principal('alice', 'acme'), 99_999)).toEqual([[2, 99_999]]);
    expect(earlierOf(growing, principal('alice'), 100_000)).toEqual([[0, 100_000]]);
  });

  it('are none among those that were not closed, and never the current one', () => {
    const deployments = [
      { number: 0, share: 1 },
      { number: 1, share: 1, movedAt: 500 },
    ];
    const ofOne = many.find((who) => numberOf(deployments, who) === 1);
    const ofZero = many.find((who) => numberOf(deployments, who) === 0);
    expect(earlierOf(deployments, ofOne)).toEqual([]);
    expect(earlierOf(deployments, ofZero)).toEqual([[1, 500]]);
  });
});
