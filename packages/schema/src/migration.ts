/**
 * Brings the data of older releases to a version of the schema. It can be interrupted and started again at any point,
 * and run twice at once, while programs of the new release work; programs that know an older version have gone.
 */
export interface Migration {
  readonly version: number;
  /** For the log: what it does. */
  readonly what: string;
  /** @param onProgress await it after each step, with the number of tasks that are done; rejects if the run must stop */
  run(onProgress: (done: number) => Promise<void>): Promise<void>;
}
