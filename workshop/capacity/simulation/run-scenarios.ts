import type { Figures } from '../figures/figures.ts';
import type { Load } from '../plan/load.ts';
import type { Second } from './history.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import { peak, type ScenarioName, scenariosFor } from './scenarios.ts';
import { simulate } from './simulate.ts';

/** The one that is drawn. */
const DRAWN: ScenarioName = 'failOver';

interface Simulated {
  readonly simulations: Record<ScenarioName, Outcome>;
  readonly seconds: readonly Second[];
}

/** Every scenario, from the figures. @param load of the peak */
export function runScenarios(figures: Figures, load: Load, seed: number): Simulated {
  const scenarios = scenariosFor(figures, load, seed);
  const outcome = (name: ScenarioName): Outcome => outcomeOf(simulate(scenarios[name]), peak.from);
  return {
    simulations: {
      prepared: outcome('prepared'),
      unprepared: outcome('unprepared'),
      scaled: outcome('scaled'),
      scaledByWaiting: outcome('scaledByWaiting'),
      failOver: outcome('failOver'),
      hot: outcome('hot'),
    },
    seconds: simulate(scenarios[DRAWN]).seconds,
  };
}
