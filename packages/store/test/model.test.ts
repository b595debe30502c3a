import { describe, expect, test } from 'vitest';
import { firstCatch, MUTANTS, SMALL_WORLDS, search } from './model/explore.mjs';
import * as rules from './reference/turn-rules.ts';

// The short form of `npm run workshop model`: every interleaving in small worlds, also with a Redis that loses an
// acknowledged begin.

const worlds = SMALL_WORLDS.filter(({ messages, faults }) => messages === 1 || faults === 0);

describe('the rules of turns', () => {
  test.each(worlds)(
    'hold in every interleaving: $name',
    (world) => {
      const { problem, trace, states } = search(world, rules);
      expect({ problem, trace }).toEqual({ problem: undefined, trace: undefined });
      expect(states).toBeGreaterThan(1_000);
    },
    60_000,
  );

  test.each(MUTANTS.filter(({ name }) => /fenced by its epoch|any epoch|sent twice/.test(name)))(
    'do not hold with the mutation: $name',
    ({ rules: broken }) => {
      expect(firstCatch(broken, false, worlds) ?? firstCatch(broken, true, worlds)).toBeDefined();
    },
    60_000,
  );
});
