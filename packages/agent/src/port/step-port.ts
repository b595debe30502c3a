/**
 * Whether a step has its result already (JSON; '' for undefined), or is to be run: `mark` tells what an unfinished run
 * has published.
 */
export type StepBeginning =
  | { readonly kind: 'done'; readonly result: string }
  | { readonly kind: 'run'; readonly mark: string };

/** The durable results of a turn's steps, kept for all attempts at the turn. */
export interface StepPort {
  /** Asked before a step has effects: a turn that has lost its task must not have any. @throws {TurnEnded} */
  begin(key: string): Promise<StepBeginning>;
  /**
   * Resolves when the result is durable, and with it everything that was published before.
   * @throws {TurnEnded}
   * @throws {TurnMisuseError} the results of this turn are too large together
   */
  end(key: string, result: string): Promise<void>;
}
