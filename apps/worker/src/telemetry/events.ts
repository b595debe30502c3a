import type { LogLine } from '@switchyard/agent/runtime';
import type { MigrationEvent } from '@switchyard/store';

/** The events of a worker, which `log.ts` and `metrics.ts` turn into log lines and figures. */
export type WorkerEvent =
  | { readonly kind: 'started'; readonly agents: readonly string[] }
  | { readonly kind: 'stopping'; readonly running: number }
  | { readonly kind: 'stopped' | 'stop-given-up' }
  | { readonly kind: 'measuring'; readonly port: number }
  | { readonly kind: 'draining'; readonly by: string | undefined }
  | { readonly kind: 'drain-ended' }
  /** A later release has migrated the deployment: this one must not work with it any more. */
  | { readonly kind: 'too-old'; readonly reason: string }
  | ({ readonly kind: 'turn-begun' } & TurnBegin)
  /** Instead of `turn-begun`: the turn was another worker's, which died or was presumed dead. */
  | ({ readonly kind: 'turn-taken-over'; readonly takenOverFrom: string } & TurnBegin)
  /** The task has the turn's outcome. */
  | ({ readonly kind: 'turn-ended' } & TurnEnd)
  /** The turn will run again, on any worker. `isSpent`: the attempt counts. */
  | ({ readonly kind: 'turn-given-back'; readonly isSpent: boolean; readonly retryInMs: number } & TurnEnd)
  /** The turn lost its task to another run: its late writes were refused. */
  | ({ readonly kind: 'turn-fenced' } & TurnEnd)
  /** The attempts at a message are spent: its task has failed, and it is a dead letter. */
  | ({ readonly kind: 'turn-given-up'; readonly attempts: number | undefined } & TurnOfTask & Partial<TurnEnd>)
  /** A log line of an agent. */
  | ({ readonly kind: 'agent-log'; readonly line: LogLine } & TurnName)
  /** The first event of a turn was written. `afterMs`: since its job entered the queue. */
  | { readonly kind: 'first-event'; readonly agent: string; readonly afterMs: number }
  | ({ readonly kind: 'job-without-turn'; readonly verdict: string } & TurnOfTask)
  | ({ readonly kind: 'job-failed'; readonly err: unknown } & TurnOfTask)
  | { readonly kind: 'swept'; readonly add: number; readonly canceled: number }
  | MigrationEvent
  /** The time of a task has come. */
  | ({ readonly kind: 'scheduled-task-begun'; readonly lateMs: number } & TurnOfTask)
  /** Its schedule goes on, but the next task was not made. */
  | ({ readonly kind: 'schedule-not-followed'; readonly why: string; readonly isTriedAgain: boolean } & TurnOfTask)
  | { readonly kind: 'orphans-canceled'; readonly canceled: number }
  | ({ readonly kind: 'unhandled-rejection'; readonly err: unknown } & TurnOfTask)
  | { readonly kind: 'module-changed'; readonly path: string }
  /** An agent that runs elsewhere answers again, or does not. */
  | { readonly kind: 'agent-reachable'; readonly agent: string }
  | { readonly kind: 'agent-unreachable'; readonly agent: string; readonly reason: string }
  | { readonly kind: 'change-loaded' }
  | { readonly kind: 'change-refused'; readonly isServed: boolean }
  | { readonly kind: 'worker-died'; readonly code: string }
  /** A webhook has answered, or failed to. */
  | { readonly kind: 'push-answered'; readonly outcome: string; readonly durationMs: number }
  | ({ readonly kind: 'push-failed'; readonly retryInMs: number } & PushFailure)
  | ({ readonly kind: 'push-dead-letter' } & PushFailure)
  | ({ readonly kind: 'push-delivered' | 'push-ended' } & PushName)
  | { readonly kind: 'error'; readonly where: string; readonly err: unknown };

interface TurnOfTask {
  readonly agent: string;
  readonly taskId: string;
}

/** A turn. A gateway's log lines use the same names. Lines of a traced turn also have the trace id. */
export interface TurnName extends TurnOfTask {
  readonly contextId: string | undefined;
  readonly tenant: string | undefined;
  /** Number of the attempt at this message. */
  readonly attempt: number;
  /** Id of the request that brought the message, or led to the call that brought it. */
  readonly requestId?: string | undefined;
}

interface TurnBegin extends TurnName {
  /** Time in the queue; unset: not known. */
  readonly waitedMs?: number | undefined;
}

export interface TurnEnd extends TurnName {
  /** The state of the task, or failed, retry, waiting-for-auth, interrupted-<reason>. */
  readonly outcome: string;
  readonly durationMs: number;
  /** For the log, never for the client. */
  readonly err?: unknown;
}

/** Names a webhook. Of its URL only the origin: the rest may be secret. */
interface PushName {
  readonly taskId: string;
  readonly configId: string;
  readonly origin: string;
}

interface PushFailure extends PushName {
  readonly reason: string;
  readonly attempts: number;
}

export type Emit = (event: WorkerEvent) => void;
