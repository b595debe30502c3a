/** What a worker says of itself, again and again. Durations, since its clock is its own: Redis makes times of them. */
export interface WorkerReport {
  /** Ids of its agents. */
  readonly agents: readonly string[];
  readonly upForMs: number;
  /** It takes no more work: it has obeyed an order. */
  readonly isDraining: boolean;
  readonly turns: readonly ReportedTurn[];
}

/** A turn that the worker runs, as far as it knows. */
export interface ReportedTurn {
  readonly taskId: string;
  readonly epoch: number;
  readonly runsForMs: number;
}

/** How a worker is to be drained: it takes no more work. */
export interface DrainOrder {
  /**
   * After so long the turns that still run are given back, without an attempt spent; unset: they may run to their end.
   */
  readonly giveBackAfterMs?: number | undefined;
}

/**
 * - `working`. `draining`: it is to take no more work. `drained`: it takes none, and has none left: it can be stopped.
 * `silent`: has not reported for a while; it may be dead.
 */
export type WorkerState = 'working' | 'draining' | 'drained' | 'silent';

export interface WorkerReading {
  readonly id: string;
  readonly state: WorkerState;
  readonly agents: readonly string[];
  /** ISO time. */
  readonly since: string;
  /** ISO time. */
  readonly lastSignOfLife: string;
  /** Unset: it is not to be drained. */
  readonly drain?: DrainOrder;
  readonly turns: readonly { readonly taskId: string; readonly epoch: number; readonly since: string }[];
}
