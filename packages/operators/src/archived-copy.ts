import type { ArchivedJson, ArchivedTask } from '@switchyard/store';
import { agentOf, BEFORE_HISTORY, type Piece, queueName, readInPieces, readPieces } from '@switchyard/store/inside';
import type { OperatorDependencies } from './operator-dependencies.ts';
import type { OperatorTasks } from './operator-tasks.ts';
import { readRows } from './task-rows.ts';

interface CopyDependencies extends OperatorDependencies {
  readonly tasks: OperatorTasks;
}

/** The copy of an ended task for the archive. @returns undefined: it is gone, or has not ended */
export async function copyOf(dependencies: CopyDependencies, taskId: string): Promise<ArchivedTask | undefined> {
  const { redis, shards, tasks } = dependencies;
  const [found, [row], detail] = await Promise.all([
    readInPieces(dependencies, taskId),
    readRows({ redis, shards }, [taskId], { hasText: true }),
    tasks.detail(taskId, { hasTimeline: true, isOneOfMany: true }),
  ]);
  const fields = ['owner', 'context', 'state', 'time', 'index_time', 'request'] as const;
  const [owner, context, letter, time, endedAt, request] = await redis.hmget(shards.of(taskId).task(taskId), ...fields);
  if (!found || !row || !detail || !owner || !letter || !time || letter !== letter.toUpperCase()) return undefined;
  const { version, answered } = found.reading;
  return {
    id: taskId,
    owner,
    agent: queueName(agentOf(owner)),
    context: context ?? '',
    letter,
    time,
    endedAt: endedAt ?? time,
    version,
    answered,
    json: await jsonOf(dependencies, found.pieces),
    row: JSON.stringify(row),
    detail: JSON.stringify(detail),
    origin: JSON.stringify([owner, request ?? null]),
  };
}

/** The pieces as pieces.lua puts them: the head, the artifacts, the history, the tail. */
async function jsonOf({ redis }: OperatorDependencies, pieces: readonly Piece[]): Promise<ArchivedJson> {
  const history = pieces.indexOf(BEFORE_HISTORY);
  const textOf = async (some: readonly Piece[]): Promise<string> => {
    const bytes = await readPieces(redis, some);
    if (!bytes) throw new Error('A text of a task was replaced while it was copied: it is copied again.');
    return Buffer.concat(bytes).toString();
  };
  const end = history < 0 ? pieces.length - 1 : history;
  return {
    head: await textOf(pieces.slice(0, 1)),
    artifacts: end > 1 ? await textOf(pieces.slice(1, end)) : '',
    history: history < 0 ? [] : messagesIn(await textOf(pieces.slice(history + 1, history + 2))),
    tail: await textOf(pieces.slice(-1)),
  };
}

/** Messages are separated by a comma and a tab, which JSON escapes; the first one may begin with a tab. */
const messagesIn = (history: string): string[] => history.replace(/^\t/, '').split(',\t');
