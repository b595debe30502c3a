import { isTerminal, type Priority, priorities } from '@switchyard/protocol';
import { queueName } from '@switchyard/store/inside';
import { type CurrentReason, currentReason } from './current-reason.ts';
import type { OperatorDependencies } from './operator-dependencies.ts';
import { type TaskIdentity, taskIdentity } from './task-identity.ts';

/** The stored fields of a task, without the contents of messages and artifacts. Times are ISO. */
export interface TaskRecord extends TaskIdentity {
  readonly isTerminal: boolean;
  /** Number of its last event. */
  readonly seq: number;
  /** Events in its stream. */
  readonly keptEvents: number;
  readonly messagesAccepted: number;
  /** The highest number of a message that is answered, or acknowledged to its caller. */
  readonly messagesAnswered: number;
  /** Accepted messages whose turn has not ended. */
  readonly inbox: number;
  readonly artifacts: number;
  readonly webhooks: number;
  readonly cancelRequested: boolean;
  /** Turns begun so far; each attempt counts. */
  readonly epoch: number;
  /** Epoch of the open turn; 0: none. */
  readonly openTurn: number;
  /** Attempts at the current message. */
  readonly attempts: number;
  /** Number of the job that may begin turns, 0: none; and its state in the queue. */
  readonly job: number;
  readonly jobState: string;
  /** The skill whose queue has its jobs; unset: they are in the agent's queue. */
  readonly queueOfSkill?: string;
  /** With which its messages wait; unset: normal. */
  readonly priority?: Priority;
  /** When its next message is rejected if no worker has begun it; of a task that ended so, when it was too late. */
  readonly beginBy?: string;
  /** Sweeps since the last turn began. */
  readonly sweeps: number;
  /** When the sweeper adds its job again, unless a heartbeat comes first. */
  readonly dueAt?: string;
  readonly expiresAt?: string;
  /** The time it waits for; until then it has no job. */
  readonly scheduledFor?: string;
  /** Why its last attempt failed; unset: it did not, or the task has gone well since. */
  readonly reason?: CurrentReason;
  /** What its suspended turn waits for: docs/extensions/suspended.md. */
  readonly waits?: SuspendedWait[];
  /** Its schedule is paused: it does not begin at that time. */
  readonly isSchedulePaused?: boolean;
  /** Redis has forgotten it: this is what it was when it was copied to the archive. */
  readonly isArchived?: boolean;
}

/** An event, a called task or neither, and a time at the latest. */
export interface SuspendedWait {
  readonly event?: string;
  /** Of another agent. */
  readonly task?: string;
  readonly until?: string;
}

const FIELDS = [
  'seq',
  'messages',
  'answered',
  'inbox',
  'artifacts',
  'epoch',
  'turn',
  'attempts',
  'job',
  'sweeps',
] as const;

/** For operators: the principal is not checked. @returns undefined: no such task */
export async function readRecord(dependencies: OperatorDependencies, taskId: string): Promise<TaskRecord | undefined> {
  const { redis, shards, agentQueues } = dependencies;
  const keys = shards.of(taskId);
  const key = keys.task(taskId);
  const [
    [cancel, skill, level, beginBy, late, later, waits, scheduleId, reason, ...fields],
    values,
    kept,
    webhooks,
    due,
    ttlMs,
  ] = await Promise.all([
    redis.hmget(
      key,
      'cancel',
      'skill',
      'level',
      'begin_by',
      'late',
      'later',
      'waits',
      'schedule_id',
      'reason',
      'owner',
      'context',
      'state',
    ),
    redis.hmget(key, ...FIELDS),
    redis.xlen(keys.events(taskId)),
    redis.hget(`${key}:w`, 'count'),
    redis.zscore(keys.outbox, taskId),
    redis.pttl(key),
  ]);
  const identity = taskIdentity(taskId, fields);
  if (!identity) return undefined;
  const number = (name: (typeof FIELDS)[number]): number => Number(values[FIELDS.indexOf(name)] ?? 0);
  const isPaused = later && (await redis.hget(keys.tasksOfSchedules, scheduleId ?? taskId))?.endsWith(' paused');
  const priority = priorities.find((each) => each === level);
  const job = number('job');
  const progress = { state: identity.state, epoch: number('epoch'), attempts: number('attempts') };
  const current = currentReason(reason, progress);
  return {
    ...identity,
    isTerminal: isTerminal(identity.state),
    seq: number('seq'),
    keptEvents: kept,
    messagesAccepted: number('messages'),
    messagesAnswered: number('answered'),
    inbox: number('inbox'),
    artifacts: number('artifacts'),
    webhooks: Number(webhooks ?? 0),
    cancelRequested: Boolean(cancel),
    epoch: number('epoch'),
    openTurn: Number.parseInt(values[FIELDS.indexOf('turn')] ?? '0', 10),
    attempts: number('attempts'),
    job,
    jobState: job ? await agentQueues.stateOf(queueName(identity.agent, skill), taskId, job) : 'none',
    ...(skill && { queueOfSkill: skill }),
    ...(priority && { priority }),
    ...beginByIn(late ?? beginBy),
    ...(current && { reason: current }),
    sweeps: number('sweeps'),
    ...(due !== null && { dueAt: new Date(Number(due)).toISOString() }),
    ...(later && { scheduledFor: new Date(Number(later)).toISOString() }),
    ...(waits && { waits: JSON.parse(waits) }),
    ...(isPaused && { isSchedulePaused: true }),
    ...(ttlMs > 0 && { expiresAt: new Date(Date.now() + ttlMs).toISOString() }),
  };
}

/** @param stored `<ms>` and more, or `within <ms>` while it waits for its scheduled time */
function beginByIn(stored: string | null | undefined): Pick<TaskRecord, 'beginBy'> {
  const ms = Number.parseInt(stored ?? '', 10);
  return Number.isNaN(ms) ? {} : { beginBy: new Date(ms).toISOString() };
}
