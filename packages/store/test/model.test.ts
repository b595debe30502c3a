import { describe, expect, test } from 'vitest';
import { isThorough } from '../../../tests/support/thorough.ts';
import { firstCatch, MUTANTS, SMALL_WORLDS, search } from './model/explore.mjs';
import * as rules from './reference/turn-rules.ts';

// Short forms of `npm run workshop model`: every interleaving in small worlds, also with a Redis that loses an
// acknowledged begin. The shorter form has one world with times to live, no fault where turns are suspended, and those
// mutants of fencing and of times to live that are caught at once.

const worlds = SMALL_WORLDS.map((world) =>
  /^suspended:/.test(world.name) ? { ...world, name: world.name.replace('one fault', 'no fault'), faults: 0 } : world,
).filter(
  ({ messages, faults, name }) =>
    (messages === 1 || (faults === 0 && messages === 2)) &&
    !/^expiring: (two|suspended|scheduled)|^expiring: .* fail-over/.test(name),
);
const mutants = MUTANTS.filter(({ name }) =>
  /fenced by its epoch|any epoch|sent twice|beginTurn: .*time to live/.test(name),
);
const small = SMALL_WORLDS.filter(({ messages, faults }) => messages === 1 || faults === 0);

describe('the rules of turns', () => {
  test.each(isThorough ? small : worlds)(
    'hold in every interleaving: $name',
    (world) => {
      const { problem, trace, states } = search(world, rules);
      expect({ problem, trace }).toEqual({ problem: undefined, trace: undefined });
      expect(states).toBeGreaterThan(500);
    },
    600_000,
  );

  test.each(isThorough ? MUTANTS : mutants)(
    'do not hold with the mutation: $name',
    (mutant) => {
      // Most are caught in the smallest worlds.
      expect(firstCatch(mutant, true, small) ?? firstCatch(mutant, true)).toBeDefined();
    },
    600_000,
  );
});
