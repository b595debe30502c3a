import type { Task } from '@switchyard/protocol';

/** Another task of the same context. */
export interface ContextTask {
  readonly agent: string;
  /** With its artifacts, without its history unless that was asked for. */
  readonly task: Task;
}

export interface ContextOptions {
  /** At most so many, the latest; 1 to 100. Default: 50. */
  readonly limit?: number;
  /** Messages of each task's history, from the end; default 0. */
  readonly historyLength?: number;
}

/** A state as it was read: `version` counts its writes, 0 stands for none. */
export interface StoredState {
  readonly version: number;
  readonly json: string | undefined;
}

/** What the tasks of a context share. */
export interface ContextPort {
  /** The other tasks of the context, of all agents, the latest first. */
  tasks(options: ContextOptions): Promise<readonly ContextTask[]>;
  /** The state of this agent in this context. */
  read(): Promise<StoredState>;
  /**
   * @param ifVersion the version that is to be replaced; unset: any
   * @returns the new version, undefined if there is another than `ifVersion`
   * @throws {TurnEnded}
   * @throws {TurnMisuseError} it is too large
   */
  write(json: string, ifVersion?: number): Promise<number | undefined>;
}
