import { type ArchivedJson, type ArchivedTask, isOutage } from '@switchyard/store';
import {
  agentOf,
  BEFORE_HISTORY,
  bytesIn,
  type Piece,
  queueName,
  readInPieces,
  readPieces,
  type TaskInPieces,
} from '@switchyard/store/inside';
import type { OperatorDependencies } from './operator-dependencies.ts';
import type { OperatorTasks } from './operator-tasks.ts';
import { plainRow, rowOf } from './task-rows.ts';

interface CopyDependencies extends OperatorDependencies {
  readonly tasks: OperatorTasks;
}

/** A task to copy, whose long texts are not read yet. */
export interface PreparedCopy {
  readonly taskId: string;
  readonly bytes: number;
  /** Undefined: the task was deleted meanwhile. */
  read(): Promise<ArchivedTask | undefined>;
}

/** What clients read of a task, as the archive stores it. */
export type ArchivedContents = Omit<ArchivedTask, 'row' | 'detail' | 'origin'>;

/** As `PreparedCopy`, without what only operators see. */
export interface PreparedContents {
  readonly taskId: string;
  readonly bytes: number;
  /** Parameters of the first request, as JSON; null: of an older task. */
  readonly request: string | null;
  /** Of its messages with an idempotency key, as keys have them, one a line; '' none. */
  readonly retryNames: string;
  /** Undefined: the task was deleted meanwhile. */
  read(): Promise<ArchivedContents | undefined>;
}

/**
 * Reads what these tasks are, together. Each rejects by itself if it is damaged.
 * @returns in this order; undefined: the task is gone, or has not ended
 */
export function prepareCopies(
  dependencies: CopyDependencies,
  taskIds: readonly string[],
): Promise<PreparedCopy | undefined>[] {
  return prepareContents(dependencies, taskIds).map((contents, i) => prepareCopy(dependencies, contents, taskIds[i]));
}

async function prepareCopy(
  { tasks }: CopyDependencies,
  reading: Promise<PreparedContents | undefined>,
  taskId = '',
): Promise<PreparedCopy | undefined> {
  const [contents, detail] = await Promise.all([reading, unlessBroken(tasks.detail(taskId, { hasTimeline: true }))]);
  if (!contents || !detail) return undefined;
  const read = async (): Promise<ArchivedTask | undefined> => {
    const its = await contents.read();
    if (!its) return undefined;
    const first = its.json.history.slice(0, 2).join('');
    return {
      ...its,
      row: JSON.stringify(detail === 'broken' ? plainRow(its) : rowOf(detail, { time: its.time, history: first })),
      detail: detail === 'broken' ? '' : JSON.stringify(detail),
      origin: JSON.stringify([its.owner, contents.request, contents.retryNames]),
    };
  };
  return { taskId, bytes: contents.bytes, read };
}

/** As `prepareCopies`. */
export function prepareContents(
  dependencies: OperatorDependencies,
  taskIds: readonly string[],
): Promise<PreparedContents | undefined>[] {
  const readings = readInPieces(dependencies, taskIds);
  return taskIds.map((taskId) => contentsOf(dependencies, taskId, readings.get(taskId)));
}

async function contentsOf(
  dependencies: OperatorDependencies,
  taskId: string,
  reading: Promise<TaskInPieces | undefined> | undefined,
): Promise<PreparedContents | undefined> {
  const { redis, shards } = dependencies;
  const fields = ['owner', 'context', 'state', 'time', 'index_time', 'request', 'retry_names'] as const;
  const [[owner, context, letter, time, endedAt, request = null, retryNames], found] = await Promise.all([
    redis.hmget(shards.of(taskId).task(taskId), ...fields),
    reading,
  ]);
  if (!found || !owner || !letter || !time || letter !== letter.toUpperCase()) return undefined;
  const { version, answered } = found.reading;
  const known = {
    id: taskId,
    owner,
    agent: queueName(agentOf(owner)),
    context: context ?? '',
    letter,
    time,
    endedAt: endedAt ?? time,
    version,
    answered,
  };
  const read = async (): Promise<ArchivedContents | undefined> => {
    const json = await jsonOf(dependencies, found.pieces);
    return json && { ...known, json };
  };
  return { taskId, bytes: bytesIn(found.pieces), request, retryNames: retryNames ?? '', read };
}

/** What clients have written is kept, whatever operators see of it. */
function unlessBroken<T>(reading: Promise<T>): Promise<T | 'broken'> {
  return reading.catch((error: unknown) => {
    if (isOutage(error)) throw error;
    return 'broken';
  });
}

/**
 * The pieces as pieces.lua puts them: the head, the artifacts, the history, the tail.
 * @returns undefined: the task was deleted meanwhile
 */
async function jsonOf({ redis }: OperatorDependencies, pieces: readonly Piece[]): Promise<ArchivedJson | undefined> {
  const history = pieces.indexOf(BEFORE_HISTORY);
  const end = history < 0 ? pieces.length - 1 : history;
  const parts = [
    pieces.slice(0, 1),
    pieces.slice(1, end),
    history < 0 ? [] : pieces.slice(history + 1, history + 2),
    pieces.slice(-1),
  ];
  const texts: string[] = [];
  for (const part of parts) {
    const bytes = await readPieces(redis, part);
    if (!bytes) return undefined;
    texts.push(Buffer.concat(bytes).toString());
  }
  const [head = '', artifacts = '', messages = '', tail = ''] = texts;
  return { head, artifacts, history: history < 0 ? [] : messagesIn(messages), tail };
}

/** Messages are separated by a comma and a tab, which JSON escapes; the first one may begin with a tab. */
const messagesIn = (history: string): string[] => history.replace(/^\t/, '').split(',\t');
