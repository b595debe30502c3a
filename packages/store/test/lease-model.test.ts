import { describe, expect, test } from 'vitest';
import { LEASE_MUTANTS, LEASE_WORLDS, leaseRules, searchLeases } from './model/leases.ts';

describe('the rules of leases', () => {
  test.each(LEASE_WORLDS)('hold in every interleaving: %j', (world) => {
    const { problem, trace, states } = searchLeases(world);
    expect({ problem, trace }).toEqual({ problem: undefined, trace: undefined });
    expect(states).toBeGreaterThan(500);
  });

  test.each(LEASE_MUTANTS)('do not hold if $name', ({ rules }) => {
    const broken = { ...leaseRules, ...rules };
    expect(LEASE_WORLDS.map((world) => searchLeases(world, broken).problem)).toContainEqual(expect.any(String));
  });
});
