/**
 * Whether a step has a stored result (JSON; '' for undefined), or must run: `mark` summarises the events of an
 * unfinished run.
 */
export type StepBeginning =
  | { readonly kind: 'done'; readonly result: string }
  | { readonly kind: 'run'; readonly mark: string };

/** The durable results of a turn's steps, for all attempts at the turn. */
export interface StepPort {
  /** Runs the code of a step that has begun. */
  run<T>(name: string, execute: () => Promise<T>): Promise<T>;
  /** Call it before a step has effects: a turn that has lost its task must have none. @throws {TurnEnded} */
  begin(key: string): Promise<StepBeginning>;
  /**
   * Resolves when the result and all earlier events are durable.
   * @throws {TurnEnded}
   * @throws {TurnMisuseError} the results of this turn are too large together
   */
  end(key: string, result: string): Promise<void>;
}
