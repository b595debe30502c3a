import type { Task } from '@switchyard/protocol';

/** Another task of the same context. */
export interface OtherTask {
  readonly agent: string;
  /** With its artifacts, and as much of its history as requested. */
  readonly task: Task;
}

/** Which other tasks of a context to read, and how much of each. */
export interface OtherTasksOptions {
  /** Most tasks, the latest ones; 1 to 100. Default: 50. */
  readonly limit?: number;
  /** Messages of each task's history, from the end; default 0. */
  readonly historyLength?: number;
}

/** A stored value: `version` counts its writes, 0: none. */
export interface StoredState {
  readonly version: number;
  readonly json: string | undefined;
}

/** What the tasks of a context share. */
export interface ContextPort {
  /** The other tasks of the context, of all agents, the latest first. */
  tasks(options: OtherTasksOptions): Promise<readonly OtherTask[]>;
  /** The state of this agent in this context. */
  read(): Promise<StoredState>;
  /**
   * @param ifVersion replaces this version only; unset: any
   * @returns the new version, undefined if the stored version is not `ifVersion`
   * @throws {TurnEnded}
   * @throws {TurnMisuseError} it is too large
   */
  write(json: string, ifVersion?: number): Promise<number | undefined>;
}
