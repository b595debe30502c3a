/** A process of an operating system. */
export interface ProcessId {
  readonly host: string;
  readonly pid: number;
}

/** A worker's periodic report. It has durations, not times: the worker's clock may differ from Redis'. */
export interface WorkerReport {
  readonly process?: ProcessId | undefined;
  /** Ids of its agents. */
  readonly agents: readonly string[];
  readonly upForMs: number;
  /** It takes no more work. */
  readonly isDraining: boolean;
  readonly turns: readonly ReportedTurn[];
  /** Version of Switchyard. */
  readonly version?: string | undefined;
  readonly figures?: WorkerFigures | undefined;
  /** By agent; those without one are left out. */
  readonly remoteProblems?: Readonly<Record<string, RemoteProblem>> | undefined;
}

/** Why an agent that runs elsewhere cannot be used now. */
export interface RemoteProblem {
  /** `unreachable`: it does not answer, and messages wait. `bad-card`: its card cannot be used, and messages fail. */
  readonly kind: 'unreachable' | 'bad-card';
  /** The reason, with the address. */
  readonly text: string;
}

/** Figures of the last five to ten seconds; null: there was no turn. */
export interface WorkerFigures {
  /** Turns that ended. */
  readonly ended: number;
  readonly failed: number;
  readonly queueWaitP95Ms: number | null;
  readonly firstEventP95Ms: number | null;
}

/** What a turn waits for besides its own work. */
export interface ReportedWait {
  /** `limit`: room of a limit, such as that of a model. `remote-agent`: an agent elsewhere, which cannot be reached. */
  readonly for: 'limit' | 'remote-agent';
  /** The name of the limit; why the agent cannot be reached. */
  readonly text: string;
}

/** A turn that the worker runs, as far as it knows. */
export interface ReportedTurn {
  readonly taskId: string;
  readonly epoch: number;
  readonly runsForMs: number;
  /** What it has long to wait for. */
  readonly waitsFor?: ReportedWait | undefined;
}

/** What blocks the main thread of a worker, as far as its process can see. */
export interface BlockedReport {
  /** The task whose agent blocks it; unset: one of several. */
  readonly taskId?: string | undefined;
  /** `agent.ts:41`; unset: native code shows no line. */
  readonly at?: string | undefined;
}

/** A request to drain a worker: it takes no more work. */
export interface DrainRequest {
  /** When turns that still run are given back, without counting the attempt; unset: they run to their end. */
  readonly giveBackAfterMs?: number | undefined;
  /** Who made the request. */
  readonly by?: string | undefined;
}

/**
 * - `working`. `draining`: it takes no more work. `drained`: it has none left either, and can be stopped. `silent`: it
 *   has not reported for a while; it may be dead.
 */
export type WorkerState = 'working' | 'draining' | 'drained' | 'silent';

export interface WorkerReading {
  readonly id: string;
  readonly process?: ProcessId;
  readonly state: WorkerState;
  readonly agents: readonly string[];
  /** ISO time. */
  readonly since: string;
  /** ISO time. */
  readonly lastHeartbeat: string;
  readonly version?: string;
  readonly figures?: WorkerFigures;
  /** As in the report. */
  readonly remoteProblems?: Readonly<Record<string, RemoteProblem>>;
  /** Unset: no request. */
  readonly drain?: DrainRequest;
  /** Set: an agent blocks it, so that it does not report. */
  readonly blocked?: BlockedReport;
  readonly turns: readonly {
    readonly taskId: string;
    readonly epoch: number;
    /** ISO time. */
    readonly since: string;
    /** As in the report. */
    readonly waitsFor?: ReportedWait | undefined;
  }[];
}
