import { defineScript, integer, list, optional, text, tuple } from '@switchyard/redis';
import type { ArchivedTask } from '@switchyard/store';
import { type HasArchive, idText, timeOf } from '@switchyard/store/inside';
import { type CurrentReason, currentReason } from './current-reason.ts';
import type { OperatorDependencies } from './operator-dependencies.ts';
import { type TaskIdentity, taskIdentity } from './task-identity.ts';
import type { TaskRecord } from './task-record.ts';
import type { SpentByTask } from './task-usage.ts';

/**
 * Owner, context, state, time of the status, attempts, inbox, beginning of the history, ms of its scheduled time, epoch,
 * reason, micro-USD, requests without a price.
 */
const row = tuple(
  optional(text),
  optional(text),
  optional(text),
  optional(text),
  optional(integer),
  optional(integer),
  optional(text),
  optional(text),
  optional(integer),
  optional(text),
  optional(integer),
  optional(integer),
);
const readRowsScript = defineScript({
  file: 'read-rows.lua',
  from: import.meta.url,
  keys: ['tasksRoot'],
  args: ['textBytes', 'ids*'],
  reply: list(row),
});

/** A task in a list. Times are ISO. */
export interface TaskRow extends TaskIdentity {
  /** Time of its status. */
  readonly updatedAt: string;
  /** Attempts at its current message. */
  readonly attempts: number;
  /** Messages whose turn has not ended. */
  readonly inbox: number;
  /** Beginning of its first message; '' unless requested. */
  readonly text: string;
  /** The time it waits for. */
  readonly scheduledFor?: string;
  /** What it has cost so far, with all tasks below it, in millionths of a US dollar; unset: nothing. */
  readonly microUsd?: number;
  /** Requests to models without a known price, which `microUsd` lacks; unset: none. */
  readonly unpricedCalls?: number;
  /** Why its last attempt failed; unset: it did not, or the task has gone well since. */
  readonly reason?: CurrentReason;
}

/** Enough for the first line of a message with its ids. */
const TEXT_BYTES = 2_048;
const TEXT_LENGTH = 120;

/** The rows of these tasks, in the same order; undefined: the task is gone. */
export async function readRows(
  { redis, shards, archive }: Pick<OperatorDependencies, 'redis' | 'shards'> & HasArchive,
  taskIds: readonly string[],
  { hasText }: { readonly hasText: boolean },
): Promise<(TaskRow | undefined)[]> {
  const rows = new Map<string, TaskRow>();
  const read = async (tasksRoot: string, ids: readonly string[]): Promise<void> => {
    const args = { textBytes: hasText ? TEXT_BYTES : 0, ids: ids.map(idText) };
    const replies = await readRowsScript.run(redis, { keys: { tasksRoot }, args });
    for (const [i, id] of ids.entries()) {
      const found = replies[i] && taskRow(id, replies[i]);
      if (found) rows.set(id, found);
    }
  };
  const byShard = Map.groupBy(taskIds, (id) => shards.of(id).tasks);
  await Promise.all(Array.from(byShard, ([tasksRoot, ids]) => read(tasksRoot, ids)));
  const missing = taskIds.filter((id) => !rows.has(id));
  const archived = missing.length > 0 ? await archive?.describe(missing, 'row') : undefined;
  for (const [id, json] of archived ?? []) {
    const row: TaskRow = JSON.parse(json);
    rows.set(id, hasText ? row : { ...row, text: '' });
  }
  return taskIds.map((id) => rows.get(id));
}

function taskRow(
  taskId: string,
  [owner, context, letter, time, attempts, inbox, history, later, epoch, reason, microUsd, unpricedCalls]: ReturnType<
    typeof row
  >,
) {
  const identity = taskIdentity(taskId, [owner, context, letter]);
  if (!identity) return undefined;
  const current = currentReason(reason, { state: identity.state, epoch: epoch ?? 0, attempts: attempts ?? 0 });
  return {
    ...identity,
    updatedAt: timeOf(time ?? ''),
    attempts: attempts ?? 0,
    inbox: inbox ?? 0,
    text: history ? firstText(history) : '',
    ...(later && { scheduledFor: new Date(Number(later)).toISOString() }),
    ...(microUsd && { microUsd }),
    ...(unpricedCalls && { unpricedCalls }),
    ...(current && { reason: current }),
  };
}

/** The row of a task whose detail is known. @param history its beginning, which may be cut off anywhere */
export function rowOf(
  detail: RowFacts,
  { time, history }: { readonly time: string; readonly history: string },
): TaskRow {
  const { taskId, contextId, agent, tenant, subject, state, attempts, inbox, scheduledFor, usage, reason } = detail;
  const { microUsd, unpricedCalls } = usage?.total ?? {};
  return {
    ...{ taskId, contextId, agent, tenant, subject, state },
    updatedAt: timeOf(time),
    attempts,
    inbox,
    text: firstText(history.slice(0, TEXT_BYTES)),
    ...(scheduledFor && { scheduledFor }),
    ...(microUsd && { microUsd }),
    ...(unpricedCalls && { unpricedCalls }),
    ...(reason && { reason }),
  };
}

type RowFacts = Pick<TaskRecord, keyof TaskIdentity | 'attempts' | 'inbox' | 'scheduledFor' | 'reason'> &
  Pick<SpentByTask, 'usage'>;

/** A row without what cannot be read of its task. */
export function plainRow({ id, owner, context, letter, time }: PlainFields): TaskRow | undefined {
  const identity = taskIdentity(id, [owner, context, letter]);
  return identity && { ...identity, updatedAt: timeOf(time), attempts: 0, inbox: 0, text: '' };
}

type PlainFields = Pick<ArchivedTask, 'id' | 'owner' | 'context' | 'letter' | 'time'>;

/** The first text in a history, which may be cut off anywhere. */
function firstText(history: string): string {
  // Matches whole escapes only: one that is cut off is not valid JSON.
  const [, quoted = ''] = /"text":"((?:[^"\\]|\\u[\da-fA-F]{4}|\\[^u])*)/.exec(history) ?? [];
  const text: string = JSON.parse(`"${quoted}"`);
  return Array.from(text).slice(0, TEXT_LENGTH).join('');
}
