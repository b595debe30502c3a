/**
 * Whether a step has a stored result (JSON; '' for undefined), or must run: `mark` summarises the events of an
 * unfinished run, `failed` counts the attempts before `postpone`.
 */
export type StepBeginning =
  | { readonly kind: 'done'; readonly result: string }
  | { readonly kind: 'run'; readonly mark: string; readonly failed: number };

/** One attempt at a step. `attempt`: 1, 2, … in this attempt at the turn. */
export interface StepRun {
  readonly name: string;
  readonly attempt: number;
}

/** The durable results of a turn's steps, for all attempts at the turn. */
export interface StepPort {
  /** Runs the code of a step that has begun. */
  run<T>(step: StepRun, execute: () => Promise<T>): Promise<T>;
  /** Call it before each attempt at a step: a turn that has lost its task must have no effects. @throws {TurnEnded} */
  begin(key: string): Promise<StepBeginning>;
  /**
   * Keeps for operators why an attempt at a step failed, after its events. Never rejects.
   * @param retryAfterMs time to the step's next attempt; undefined: there is none
   */
  noteFailure(name: string, error: unknown, retryAfterMs: number | undefined): Promise<void>;
  /**
   * Call it before the turn waits, and may be suspended, until the next attempt at a step: a later run of this attempt
   * at the turn gets the number of attempts that have failed.
   * @throws {TurnEnded}
   */
  postpone(key: string, failed: number): Promise<void>;
  /**
   * Resolves when the result and all earlier events are durable.
   * @throws {TurnEnded}
   * @throws {TurnMisuseError} the results of this turn are too large together
   */
  end(key: string, result: string): Promise<void>;
}
