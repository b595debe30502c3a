import { isTerminal, type Priority, priorities } from '@switchyard/protocol';
import { queueName } from '@switchyard/store/inside';
import { type CurrentReason, currentReason } from './current-reason.ts';
import type { OperatorDependencies } from './operator-dependencies.ts';
import { type TaskDelivery, webhooksOf } from './task-deliveries.ts';
import { type Failure, readFailures } from './task-failures.ts';
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

/** A task as Redis has it, with what is read of its other keys in any case. */
export interface StoredTask {
  readonly record: TaskRecord;
  /** It may have steps, notes, failures, webhooks, a dead letter or usage: see task-keys.lua. */
  readonly hasOtherKeys: boolean;
  readonly failures: readonly Failure[];
  readonly deliveries: readonly TaskDelivery[];
  /** Time of its status; unset: unknown. */
  readonly statusMs: number | undefined;
  /** Token of the job's run whose turn is open; unset: none is. */
  readonly token: string | undefined;
  /** Id of the task that called it. */
  readonly caller: string | undefined;
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
export async function readStored(dependencies: OperatorDependencies, taskId: string): Promise<StoredTask | undefined> {
  const { redis, shards, agentQueues } = dependencies;
  const keys = shards.of(taskId);
  const key = keys.task(taskId);
  const [owner, context, letter, cancel, skill, level, beginBy, late, later, waits, ...more] = await redis.hmget(
    key,
    'owner',
    'context',
    'state',
    'cancel',
    'skill',
    'level',
    'begin_by',
    'late',
    'later',
    'waits',
    'schedule_id',
    'reason',
    'has_other_keys',
    'time',
    'token',
    'caller',
    ...FIELDS,
  );
  const [scheduleId, reason, otherKeys, time, token, caller, ...values] = more;
  const identity = taskIdentity(taskId, [owner, context, letter]);
  if (!identity) return undefined;
  const hasEnded = isTerminal(identity.state);
  const number = (name: (typeof FIELDS)[number]): number => Number(values[FIELDS.indexOf(name)] ?? 0);
  const job = number('job');
  const [kept, ttlMs, due, jobState, schedule, others] = await Promise.all([
    redis.xlen(keys.events(taskId)),
    redis.pttl(key),
    hasEnded ? null : redis.zscore(keys.outbox, taskId),
    job ? agentQueues.stateOf(queueName(identity.agent, skill), taskId, job) : 'none',
    later ? redis.hget(keys.tasksOfSchedules, scheduleId ?? taskId) : null,
    otherKeys ? readOthers(dependencies, taskId) : NO_OTHERS,
  ]);
  const progress = { state: identity.state, epoch: number('epoch'), attempts: number('attempts') };
  const current = currentReason(reason, progress);
  const record = {
    ...identity,
    isTerminal: hasEnded,
    seq: number('seq'),
    keptEvents: kept,
    messagesAccepted: number('messages'),
    messagesAnswered: number('answered'),
    inbox: number('inbox'),
    artifacts: number('artifacts'),
    webhooks: others.deliveries.length,
    cancelRequested: Boolean(cancel),
    epoch: number('epoch'),
    openTurn: Number.parseInt(values[FIELDS.indexOf('turn')] ?? '0', 10),
    attempts: number('attempts'),
    job,
    jobState,
    sweeps: number('sweeps'),
    ...fieldsOfSome({ skill, level, beginBy: late ?? beginBy, later, waits, schedule, due, ttlMs }),
    ...(current && { reason: current }),
  };
  const statusMs = time ? Number.parseInt(time, 36) : undefined;
  return { record, ...others, statusMs, token: token || undefined, caller: caller ?? undefined };
}

type Others = Pick<StoredTask, 'hasOtherKeys' | 'failures' | 'deliveries'>;

const NO_OTHERS: Others = { hasOtherKeys: false, failures: [], deliveries: [] };

async function readOthers(dependencies: OperatorDependencies, taskId: string): Promise<Others> {
  const [failures, deliveries] = await Promise.all([
    readFailures(dependencies, taskId),
    webhooksOf(dependencies, taskId),
  ]);
  return { hasOtherKeys: true, failures, deliveries };
}

type Stored = string | null | undefined;

/** The fields that few tasks have. */
function fieldsOfSome(of: {
  readonly skill: Stored;
  readonly level: Stored;
  readonly beginBy: Stored;
  readonly later: Stored;
  readonly waits: Stored;
  /** Entry of its schedule. */
  readonly schedule: Stored;
  readonly due: Stored;
  readonly ttlMs: number;
}): Partial<TaskRecord> {
  const { skill, level, beginBy, later, waits, schedule, due, ttlMs } = of;
  const priority = priorities.find((each) => each === level);
  return {
    ...(skill && { queueOfSkill: skill }),
    ...(priority && { priority }),
    ...beginByIn(beginBy),
    ...(typeof due === 'string' && { dueAt: new Date(Number(due)).toISOString() }),
    ...(later && { scheduledFor: new Date(Number(later)).toISOString() }),
    ...(waits && { waits: JSON.parse(waits) }),
    ...(schedule?.endsWith(' paused') && { isSchedulePaused: true }),
    ...(ttlMs > 0 && { expiresAt: new Date(Date.now() + ttlMs).toISOString() }),
  };
}

/** @param stored `<ms>` and more, or `within <ms>` while it waits for its scheduled time */
function beginByIn(stored: Stored): Pick<TaskRecord, 'beginBy'> {
  const ms = Number.parseInt(stored ?? '', 10);
  return Number.isNaN(ms) ? {} : { beginBy: new Date(ms).toISOString() };
}
