import type { Figures } from '../figures/figures.ts';
import type { Load } from '../plan/load.ts';
import { planFor } from '../plan/plan.ts';
import type { ScalerSettings } from './scaler.ts';
import type { Scenario, TaskCosts } from './scenario.ts';

/** When the peak begins and ends, in seconds. */
export const peak = { from: 60, to: 180 } as const;
/** In the midst of the peak. A fail-over of a Cluster takes as long (docs/guarantees.md: less than 6 s). */
const failOver = { at: 120, seconds: 5, shard: 0 } as const;
/** A master that replaces another is one of at least so many. */
const LEAST_SHARDS = 4;

export const scenarioNames = {
  prepared: 'workers for the peak, always',
  unprepared: 'workers for the quiet time, always',
  scaled: 'scaled by waiting and active jobs',
  scaledByWaiting: 'scaled by waiting jobs alone',
  failOver: 'scaled; the master of a shard fails in the peak, for 5 s',
  hot: 'scaled; half of all messages belong to three contexts',
} as const;

export type ScenarioName = keyof typeof scenarioNames;

/**
 * A quiet time, a peak of five times as much, and quiet again. Gateways and shards are those that the peak needs: they are not scaled in a
 * minute. Workers are.
 */
export function scenariosFor(figures: Figures, load: Load, seed: number): Record<ScenarioName, Scenario> {
  const [quiet, most] = [workersFor(figures, load, 1 / 5), workersFor(figures, load, 1)];
  const base = baseScenario(figures, load, seed);
  const scaler: ScalerSettings = {
    least: quiet,
    most: most * 2,
    counts: 'waiting and active',
    jobsPerWorker: load.concurrency * load.utilisation,
    pollSeconds: 15,
    startSeconds: 8,
    downAfterSeconds: 60,
  };
  const scaled = { ...base, workers: quiet, scaler };
  return {
    prepared: { ...base, workers: most },
    unprepared: { ...base, workers: quiet },
    scaled,
    scaledByWaiting: { ...scaled, scaler: { ...scaler, counts: 'waiting' } },
    failOver: { ...scaled, failOver },
    hot: { ...scaled, hot: { share: 0.5, contexts: 3 } },
  };
}

function baseScenario(figures: Figures, load: Load, seed: number): Omit<Scenario, 'workers'> {
  const { gateways, masters } = planFor(figures, load);
  if (masters === undefined)
    throw new Error('One deployment cannot carry this: simulate one of several, with its share.');
  return {
    seed,
    seconds: 300,
    costs: costsOf(figures),
    gateways: gateways.count,
    shards: Math.max(LEAST_SHARDS, masters),
    concurrency: load.concurrency,
    turnSeconds: load.turnSeconds,
    arrivals: [
      { from: 0, perSecond: load.tasksPerSecond / 5 },
      { from: peak.from, perSecond: load.tasksPerSecond },
      { from: peak.to, perSecond: load.tasksPerSecond / 5 },
    ],
    hot: { share: 0.1, contexts: 20 },
    networkSeconds: 0.000_5,
    storeTimeoutSeconds: 5,
    retryAfterSeconds: 1,
  };
}

function workersFor(figures: Figures, load: Load, share: number): number {
  return planFor(figures, { ...load, tasksPerSecond: load.tasksPerSecond * share }).workers.count;
}

function costsOf({ operations: { accept, complete } }: Figures): TaskCosts {
  const seconds = (micros: number): number => micros / 1_000_000;
  return {
    acceptAtGateway: seconds(accept.gateway),
    acceptAtRedis: seconds(accept.redis),
    completeAtWorker: seconds(complete.worker),
    completeAtRedis: seconds(complete.redis),
  };
}
