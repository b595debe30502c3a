import { describe, expect, test } from 'vitest';
import { isThorough } from '../../../tests/support/thorough.ts';
import { PLACE_MUTANTS, PLACE_WORLDS, placeRules, searchPlaces } from './model/places.ts';

// The short form visits the smallest world, and has mutants that are caught there; `npm run test:faults` has all.
const worlds = isThorough ? PLACE_WORLDS : PLACE_WORLDS.slice(0, 1);
const mutants = PLACE_MUTANTS.filter(({ name }) => isThorough || /one place more|although it is gone/.test(name));

describe('the rules of places', () => {
  test.each(worlds)(
    'hold in every interleaving: %j',
    (world) => {
      const { problem, trace, states } = searchPlaces(world);
      expect({ problem, trace }).toEqual({ problem: undefined, trace: undefined });
      expect(states).toBeGreaterThan(100);
    },
    600_000,
  );

  test.each(mutants)(
    'do not hold if $name',
    ({ rules }) => {
      const broken = { ...placeRules, ...rules };
      const isCaught = worlds.some((world) => searchPlaces(world, broken).problem !== undefined);
      expect(isCaught).toBe(true);
    },
    600_000,
  );
});
