import type { FailureKind } from '@switchyard/protocol';
import type { Outcome } from '../port/outcome.ts';
import type { StepAttempt } from '../steps/step-options.ts';
import type { Turn } from '../turn/turn.ts';

/**
 * Code around the turns and steps of an agent, such as a time measurement or the set-up of a client. Each function calls
 * `next` once and returns what it returns, or something else in its place; an error of `next` passes through it.
 *
 *     const timed: Middleware = {
 *       async aroundStep(turn, step, next) {
 *         const begun = performance.now();
 *         try {
 *           return await next();
 *         } finally {
 *           turn.log.info('A step ran', { step: step.name, ms: Math.round(performance.now() - begun) });
 *         }
 *       },
 *     };
 */
export interface Middleware {
  /**
   * Around `execute`, in each run of a turn. Not around `onFailure`. If the turn is suspended, `next` never settles: what
   * comes after it runs in a later run.
   */
  aroundTurn?(turn: Turn, next: () => Promise<Outcome>): Promise<Outcome>;
  /**
   * Around each attempt at a step, within its time limit; not around a step whose result is remembered. Returns the
   * result of the step: JSON, as in `turn.step`.
   */
  aroundStep?(turn: Turn, step: StepAttempt, next: () => Promise<unknown>): Promise<unknown>;
}

/** Why a turn has failed for good. */
export interface TurnFailure {
  readonly kind: FailureKind;
  /** The thrown value: what no client gets. */
  readonly error: unknown;
  /** The message with which the task will fail. */
  readonly text: string;
}

/** Runs the layers, the first one outermost. */
export function throughLayers<T>(
  layers: readonly ((next: () => Promise<T>) => Promise<T>)[],
  innermost: () => Promise<T>,
): Promise<T> {
  return layers.reduceRight<() => Promise<T>>((next, layer) => async () => layer(next), innermost)();
}
