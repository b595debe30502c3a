import { isTerminal, type TaskState } from '@switchyard/protocol';
import { scopeOf } from '../redis/principal.ts';
import { stateOf } from '../tasks/state-letters.ts';
import type { OpsPort } from './ops-port.ts';

/** What the store keeps of a task, without anything that its client or its agent said. Times are ISO. */
export interface TaskRecord {
  readonly taskId: string;
  readonly contextId: string;
  readonly agent: string;
  readonly tenant: string;
  readonly subject: string;
  readonly state: TaskState;
  readonly isTerminal: boolean;
  /** Number of its last event. */
  readonly seq: number;
  /** Events that are still in its stream. */
  readonly keptEvents: number;
  readonly messagesAccepted: number;
  /** The highest number of a message whose caller need not wait any more. */
  readonly messagesReleased: number;
  /** Accepted messages that no turn has finished yet. */
  readonly inbox: number;
  readonly artifacts: number;
  readonly webhooks: number;
  readonly cancelRequested: boolean;
  /** Turns that were begun, attempts counted. */
  readonly epoch: number;
  /** 0: no turn is open; else its epoch. */
  readonly openTurn: number;
  /** At the message that is worked on. */
  readonly attempts: number;
  /** Number of the job that may begin turns, 0 none; and what the queue knows of it. */
  readonly job: number;
  readonly jobState: string;
  /** How often the sweeper came since a turn began. */
  readonly sweeps: number;
  /** When the sweeper looks after it, unless there is a sign of life before. */
  readonly dueAt?: string;
  readonly expiresAt?: string;
}

const FIELDS = [
  'seq',
  'accepted',
  'released',
  'inbox',
  'artifacts',
  'epoch',
  'turn',
  'attempts',
  'scheduled',
  'sweeps',
] as const;

/** Whoever asks here is not asked who it is. @returns undefined: no such task */
export async function readRecord(port: OpsPort, taskId: string): Promise<TaskRecord | undefined> {
  const { redis, shards, queue } = port;
  const keys = shards.of(taskId);
  const key = keys.task(taskId);
  const [[owner, context, letter, cancel], values, kept, webhooks, due, ttlMs] = await Promise.all([
    redis.hmget(key, 'owner', 'context', 'state', 'cancel'),
    redis.hmget(key, ...FIELDS),
    redis.xlen(keys.events(taskId)),
    redis.hget(`${key}:w`, 'count'),
    redis.zscore(keys.outbox, taskId),
    redis.pttl(key),
  ]);
  if (!owner || !letter) return undefined;
  const number = (name: (typeof FIELDS)[number]): number => Number(values[FIELDS.indexOf(name)] ?? 0);
  const { principal, agent } = scopeOf(owner);
  const job = number('scheduled');
  return {
    taskId,
    contextId: JSON.parse(`"${context}"`),
    agent,
    tenant: principal.tenant,
    subject: principal.subject,
    state: stateOf(letter),
    isTerminal: isTerminal(stateOf(letter)),
    seq: number('seq'),
    keptEvents: kept,
    messagesAccepted: number('accepted'),
    messagesReleased: number('released'),
    inbox: number('inbox'),
    artifacts: number('artifacts'),
    webhooks: Number(webhooks ?? 0),
    cancelRequested: Boolean(cancel),
    epoch: number('epoch'),
    openTurn: Number.parseInt(values[FIELDS.indexOf('turn')] ?? '0', 10),
    attempts: number('attempts'),
    job,
    jobState: job ? await queue.stateOf(agent, taskId, job) : 'none',
    sweeps: number('sweeps'),
    ...(due !== null && { dueAt: new Date(Number(due)).toISOString() }),
    ...(ttlMs > 0 && { expiresAt: new Date(Date.now() + ttlMs).toISOString() }),
  };
}
