import type { LogLine } from '@switchyard/agent/runtime';
import type { MigrationEvent } from '@switchyard/schema';

/** The events of a worker. `log.ts` and `metrics.ts` derive log lines and metrics from them. */
export type WorkerEvent =
  | { readonly kind: 'started'; readonly agents: readonly string[] }
  | { readonly kind: 'stopping'; readonly running: number }
  | { readonly kind: 'stopped' | 'stop-given-up' }
  | { readonly kind: 'measuring'; readonly port: number }
  | { readonly kind: 'draining'; readonly by: string | undefined }
  | { readonly kind: 'drain-ended' }
  /** A later release has migrated the schema in Redis: this release must not write to it any more. */
  | { readonly kind: 'too-old'; readonly reason: string }
  | ({ readonly kind: 'turn-begun' } & TurnBegin)
  /** Instead of `turn-begun`: the turn belonged to a worker that died or was presumed dead. */
  | ({ readonly kind: 'turn-taken-over'; readonly takenOverFrom: string } & TurnBegin)
  /** The task has the turn's outcome. */
  | ({ readonly kind: 'turn-ended' } & TurnEnd)
  /** The turn waits, and holds nothing here: see `turn.waitFor`. `until`: when it goes on at the latest. */
  | ({ readonly kind: 'turn-suspended'; readonly waitsFor: readonly string[]; readonly until?: string } & TurnEnd)
  /** The time of suspended turns has come: they are in their queues. */
  | { readonly kind: 'turns-resumed'; readonly count: number }
  /** No worker has begun the message in its time to live. */
  | { readonly kind: 'message-rejected'; readonly agent: string; readonly taskId: string }
  /** The turn is back in the queue. `isSpent`: this run counts as an attempt. */
  | ({ readonly kind: 'turn-given-back'; readonly isSpent: boolean; readonly retryInMs: number } & TurnEnd)
  /** The turn lost its task to another run: its late writes were refused. */
  | ({ readonly kind: 'turn-fenced' } & TurnEnd)
  /** The message used up its attempts or failed for good: its task failed, and the message is a dead letter. */
  | ({ readonly kind: 'turn-given-up'; readonly attempts: number | undefined } & TurnOfTask & Partial<TurnEnd>)
  /** A log line of an agent. */
  | ({ readonly kind: 'agent-log'; readonly line: LogLine } & TurnName)
  /** A turn has used a model. `microUsd` is unset if its price is not known. */
  | {
      readonly kind: 'model-used';
      readonly agent: string;
      readonly model: string;
      readonly inputTokens: number;
      readonly outputTokens: number;
      readonly microUsd: number | undefined;
    }
  /** The first event of a turn was written. `afterMs`: since its job entered the queue. */
  | { readonly kind: 'first-event'; readonly agent: string; readonly afterMs: number }
  | ({ readonly kind: 'job-without-turn'; readonly verdict: string } & TurnOfTask)
  | ({ readonly kind: 'job-failed'; readonly err: unknown } & TurnOfTask)
  | { readonly kind: 'swept'; readonly added: number; readonly canceled: number }
  /** Tasks had waited too long for their client (`INTERRUPTED_RETENTION_MS`). */
  | { readonly kind: 'overdue-canceled'; readonly canceled: number }
  /** Redis was nearly full: ended tasks were dropped before their retention was over, the youngest after `keptMs`. */
  | { readonly kind: 'room-made'; readonly dropped: number; readonly keptMs: number }
  /** What is left in `FILES_URL` after a look for files without a task. */
  | { readonly kind: 'files-swept'; readonly count: number; readonly bytes: number }
  /** `FILES_URL` is away or full: a large `raw` part stays in its task. */
  | { readonly kind: 'raw-not-moved'; readonly taskId: string; readonly err: unknown }
  /** Files of `FILES_URL` that no task refers to any more, and uploads that were not completed. */
  | { readonly kind: 'files-removed'; readonly count: number; readonly bytes: number }
  /** Ended tasks were copied to `ARCHIVE_URL`. `behindMs`: how much later than they should have been. */
  | { readonly kind: 'archived'; readonly copied: number; readonly behindMs: number }
  /** An ended task could not be copied to `ARCHIVE_URL`, because of its data. */
  | { readonly kind: 'task-not-archived'; readonly taskId: string; readonly err: unknown }
  | { readonly kind: 'archive-expired'; readonly count: number }
  | MigrationEvent
  /** A scheduled task was due, and has entered the queue. */
  | ({ readonly kind: 'scheduled-task-begun'; readonly lateMs: number } & TurnOfTask)
  /** The next task of a schedule was not created. `willRetry`: it will be; otherwise the schedule ends. */
  | ({ readonly kind: 'scheduled-task-refused'; readonly why: string; readonly willRetry: boolean } & TurnOfTask)
  | { readonly kind: 'orphans-canceled'; readonly canceled: number }
  /** `text`: only if the turn had its outcome already, and does not fail. */
  | ({ readonly kind: StrayError; readonly err: unknown; readonly text?: string } & TurnOfTask)
  /** An agent's code blocks the main thread. `text` names the agent and the line. */
  | ({ readonly kind: 'worker-blocked' | 'worker-ended-by-agent'; readonly text: string } & BlockedBy)
  | { readonly kind: 'worker-unblocked'; readonly text: string }
  | { readonly kind: 'module-changed'; readonly path: string }
  /** A remote agent has become reachable. `problems`: fields of its card that are left out, because of their values. */
  | { readonly kind: 'agent-reachable'; readonly agent: string; readonly problems?: readonly string[] }
  /**
   * A remote agent does not answer. `agent-card-refused`: it, or what is at its address, answers, but not with a card
   * that can be used. `path`: of the card's address.
   */
  | ({ readonly kind: 'agent-unreachable' | 'agent-card-refused' } & UnusableAgent)
  /** `text` names the agents that are gone or new. */
  | { readonly kind: 'change-loaded'; readonly text?: string }
  | { readonly kind: 'change-refused'; readonly isServed: boolean }
  | { readonly kind: 'worker-died'; readonly code: string }
  /** A request to a webhook has ended, with a response or without. */
  | { readonly kind: 'push-answered'; readonly outcome: string; readonly durationMs: number }
  | ({ readonly kind: 'push-failed'; readonly retryInMs: number } & PushFailure)
  | ({ readonly kind: 'push-dead-letter' } & PushFailure)
  | ({ readonly kind: 'push-delivered' | 'push-ended' } & PushName)
  | { readonly kind: 'error'; readonly where: string; readonly err: unknown };

/** An error of an agent's code that nothing waited for. */
export type StrayError = 'unhandled-rejection' | 'uncaught-exception';

/** What is known of it. */
interface BlockedBy extends Partial<TurnOfTask> {
  readonly attempt?: number;
  /** The turns that may have done it. */
  readonly tasks?: readonly string[];
  /** `agent.ts:41:7`. */
  readonly at?: string;
}

interface TurnOfTask {
  readonly agent: string;
  readonly taskId: string;
}

/** Identifies a turn. A gateway's log lines use the same names. Lines of a traced turn also have the trace id. */
export interface TurnName extends TurnOfTask {
  readonly contextId: string | undefined;
  readonly tenant: string | undefined;
  /** Number of the attempt at this message, from 1. */
  readonly attempt: number;
  /** Id of the client's request that sent the message, or that led to the call of this agent. */
  readonly requestId?: string | undefined;
}

interface TurnBegin extends TurnName {
  /** Time in the queue; unset: unknown. */
  readonly waitedMs?: number | undefined;
}

export interface TurnEnd extends TurnName {
  /** The state of the task, or failed, retry, waiting-for-auth, interrupted-<reason>. */
  readonly outcome: string;
  readonly durationMs: number;
  /** For the log, never for the client. */
  readonly err?: unknown;
}

/** Identifies a webhook. Only the origin of its URL is logged, because the rest may be secret. */
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

interface UnusableAgent {
  readonly agent: string;
  readonly reason: string;
  readonly path: string;
}
