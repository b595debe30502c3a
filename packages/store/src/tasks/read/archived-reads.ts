import type { RedisConnection } from '@switchyard/redis';
import type { ArchivedReading, TaskArchive } from '../../archive/task-archive.ts';
import { ownerOf, type Scope } from '../../deployment/scope.ts';
import type { LargeTasks } from './large-tasks.ts';
import { isLarge, TaskJson } from './task-json.ts';
import { readingAt, type TaskReading, type TaskView } from './task-reading.ts';

export interface HasArchive {
  /** Unset: every task that Redis does not have is gone. */
  readonly archive?: TaskArchive | undefined;
}

interface ArchiveDependencies extends HasArchive {
  readonly redis: RedisConnection;
  readonly largeTasks?: LargeTasks | undefined;
}

/** A task that Redis does not have. @returns undefined: the archive has none in this scope @throws {ArchiveUnavailable} */
export async function readArchived(
  dependencies: ArchiveDependencies,
  scope: Scope,
  taskId: string,
  view: TaskView,
): Promise<TaskReading | undefined> {
  const found = await readArchivedTogether(dependencies, scope, { taskIds: [taskId], view, maxBytes: 1 });
  return found.get(taskId)?.reading;
}

/** As `readArchived`, without the task. */
export async function archivedPosition(
  dependencies: HasArchive,
  scope: Scope,
  taskId: string,
): Promise<TaskReading | undefined> {
  const known = await findArchived(dependencies, scope, taskId);
  return known && positionOf(known);
}

/** What is known of a task that Redis does not have. */
export async function findArchived(
  { archive }: HasArchive,
  scope: Scope,
  taskId: string,
): Promise<ArchivedReading | undefined> {
  return archive && (await knownOf(archive, scope, [taskId], {})).get(taskId);
}

/** The owner of a task that Redis does not have. */
export async function archivedOwner({ archive }: HasArchive, taskId: string): Promise<string | undefined> {
  return (await archive?.read([taskId], { contents: 'none' }))?.get(taskId)?.owner;
}

interface ArchivedTasks {
  readonly taskIds: readonly string[];
  readonly view: TaskView;
  /** Tasks after those that have this many bytes are left out. */
  readonly maxBytes: number;
}

/** Tasks that Redis does not have, and what they count of the bytes of a page. @throws {ArchiveUnavailable} */
export async function readArchivedTogether(
  dependencies: ArchiveDependencies,
  scope: Scope,
  { taskIds, view, maxBytes }: ArchivedTasks,
): Promise<ReadonlyMap<string, { readonly reading: TaskReading; readonly bytes: number }>> {
  const { archive } = dependencies;
  const readings = new Map<string, { readonly reading: TaskReading; readonly bytes: number }>();
  if (!archive || taskIds.length === 0) return readings;
  const known = await knownOf(archive, scope, taskIds, view);
  let bytes = 0;
  const wanted: string[] = [];
  for (const taskId of taskIds) {
    const one = known.get(taskId);
    if (!one || bytes >= maxBytes) continue;
    bytes += one.bytes;
    if (view.version === one.version) readings.set(taskId, { reading: positionOf(one), bytes: 0 });
    else wanted.push(taskId);
  }
  const [large, small] = [wanted.filter((id) => isLarge(known.get(id)?.bytes ?? 0)), new Set(wanted)];
  for (const id of large) small.delete(id);
  const [texts] = await Promise.all([
    small.size > 0 ? archive.read([...small], { ...view, contents: 'all' }) : undefined,
    ...large.map(async (taskId) => {
      const one = known.get(taskId);
      const task = one && (await readLarge(dependencies, archive, { taskId, view, known: one }));
      if (task) readings.set(taskId, { reading: { ...positionOf(one), task }, bytes: one.bytes });
    }),
  ]);
  for (const [taskId, one] of texts ?? [])
    if (one.task)
      readings.set(taskId, { reading: { ...positionOf(one), task: TaskJson.of(one.task) }, bytes: one.bytes });
  return readings;
}

/** The tasks of this scope. */
async function knownOf(
  archive: TaskArchive,
  scope: Scope,
  taskIds: readonly string[],
  view: TaskView,
): Promise<ReadonlyMap<string, ArchivedReading>> {
  const found = await archive.read(taskIds, { ...view, contents: 'none' });
  return new Map([...found].filter(([, { owner }]) => owner === ownerOf(scope)));
}

const positionOf = ({ version, letter, answered }: ArchivedReading): TaskReading =>
  readingAt(version, `${letter}${answered}`);

interface LargeTask {
  readonly taskId: string;
  readonly view: TaskView;
  readonly known: ArchivedReading;
}

/** All readers of a large task share its bytes. @returns undefined: it was deleted meanwhile @throws {AnswersTooLarge} */
async function readLarge(
  { redis, largeTasks }: ArchiveDependencies,
  archive: TaskArchive,
  { taskId, view, known: { version, bytes } }: LargeTask,
): Promise<TaskJson | undefined> {
  const { historyLength = '', includeArtifacts = true } = view;
  const read = async (): Promise<readonly Buffer[] | undefined> =>
    (await archive.read([taskId], { ...view, contents: 'all' })).get(taskId)?.task;
  const key = `${version} ${historyLength} ${includeArtifacts ? 'all' : 'none'} ${taskId}`;
  if (largeTasks) return largeTasks.get(redis, { key, bytes, read });
  const pieces = await read();
  return pieces && TaskJson.of(pieces);
}
