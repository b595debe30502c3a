import {
  Batches,
  type Deadline,
  defineScript,
  isOutage,
  list,
  optional,
  type Parser,
  type RedisConnection,
  sendBatchThenEach,
  text,
  tupleAnd,
} from '@switchyard/redis';
import { ownerOf, type Scope } from '../../deployment/scope.ts';
import { PerShard, type Shards } from '../../deployment/shards.ts';
import { archivedPosition, type HasArchive, readArchived, readArchivedTogether } from './archived-reads.ts';
import type { LargeTasks } from './large-tasks.ts';
import { bytesIn, type Piece, piece, readPieces } from './pieces.ts';
import type { TaskCache, WholeReading } from './task-cache.ts';
import { isLarge, TaskJson } from './task-json.ts';
import { readingAt, type TaskReading, type TaskView } from './task-reading.ts';

export interface ReadDependencies {
  readonly redis: RedisConnection;
  readonly shards: Shards;
  readonly settings: { readonly largeTextBytes: number };
  /** Unset: each read holds bytes of its own. */
  readonly largeTasks?: LargeTasks | undefined;
  /** Deadline of the callers; unset: they wait without limit. */
  readonly deadline?: Deadline | undefined;
}

export interface CachedReadDependencies extends ReadDependencies, HasArchive {
  readonly cache: TaskCache;
  readonly reads: TaskReads;
  /** Gets the error of each damaged task that is left out of a page. */
  readonly onError: (error: Error) => void;
}

/** The arguments of read.lua for one task. */
interface ReadRequest {
  readonly taskId: string;
  readonly owner: string;
  readonly version: string;
  readonly historyLength: number | '';
  readonly parts: 'all' | 'none' | 'position';
}

/**
 * `summary`: the state's letter and `answered`. If it is alone, the task still has the version of the request. '': left
 * out because of `maxBytes`.
 */
type Reply = null | string | [summary: string, version: string, ...pieces: Piece[]];

const whole = tupleAnd([text, text], piece);
const reply: Parser<Reply> = optional((one) =>
  typeof one === 'string' ? one : Array.isArray(one) && one.length === 0 ? '' : whole(one),
);

const readScript = defineScript({
  file: 'read.lua',
  from: import.meta.url,
  keys: ['tasks*'],
  args: ['largeBytes', 'maxBytes'],
  each: ['taskId', 'owner', 'version', 'historyLength', 'parts'],
  reply: list(reply),
});

/** The reads of this process, in batches. */
export type TaskReads = PerShard<Batches<ReadRequest, TaskReading | undefined>>;

/** A damaged task fails no read of others. */
const BATCHES = { requests: 32, messages: 1, afterFailure: 'each', gather: 'microtask' } as const;

export const taskReads = (dependencies: ReadDependencies): TaskReads =>
  new PerShard(() => {
    const { deadline } = dependencies;
    return new Batches({ ...BATCHES, deadline, send: (requests) => readAll(dependencies, requests) });
  });

/**
 * Reads a task with one round trip, shared with other reads at the same time; one more if a text is large.
 * @returns undefined: no such task in this scope
 */
export async function readTask(
  dependencies: CachedReadDependencies,
  scope: Scope,
  taskId: string,
  view: TaskView = {},
): Promise<TaskReading | undefined> {
  const known = cachedWhole(dependencies, taskId, view);
  const reading = await send(dependencies, readRequest(scope, taskId, { view, known }));
  if (reading) return merge(dependencies, { taskId, view, known }, reading);
  return readArchived(dependencies, scope, taskId, view);
}

/**
 * Reads tasks in this order, with one message to each shard. Once they exceed `maxPageBytes`, the others are left out;
 * `undefined` stands for a task that is gone.
 */
export async function readTogether(
  dependencies: CachedReadDependencies & { readonly settings: { readonly maxPageBytes: number } },
  scope: Scope,
  { taskIds, view }: { readonly taskIds: readonly string[]; readonly view: TaskView },
): Promise<(TaskReading | undefined)[]> {
  const wanted = taskIds.map((taskId) => {
    const known = cachedWhole(dependencies, taskId, view);
    return { taskId, view, known, request: readRequest(scope, taskId, { view, known }) };
  });
  const { maxPageBytes } = dependencies.settings;
  const replies = new Map<string, Reply>();
  const shards = Map.groupBy(wanted, ({ taskId }) => dependencies.shards.of(taskId));
  const send = async (some: typeof wanted): Promise<void> => {
    const requests = some.map(({ request }) => request);
    const found = await sendBatchThenEach(requests, (each) => runRead(dependencies, each, maxPageBytes));
    await Promise.all(some.map(async ({ taskId }, i) => replies.set(taskId, await orMissing(dependencies, found[i]))));
  };
  await Promise.all([...shards.values()].map(send));
  const forgotten = taskIds.filter((taskId) => replies.get(taskId) === null);
  const archived = await readArchivedTogether(dependencies, scope, {
    taskIds: forgotten,
    view,
    maxBytes: maxPageBytes,
  });
  const readings: (TaskReading | undefined)[] = [];
  let bytes = 0;
  for (const { taskId, request, known } of wanted) {
    const reply = replies.get(taskId) ?? null;
    if (bytes >= maxPageBytes || reply === '') break;
    const old = archived.get(taskId);
    const reading =
      old?.reading ?? merge(dependencies, { taskId, view, known }, await readingOf(dependencies, request, reply));
    bytes += old?.bytes ?? reading?.task?.length ?? 0;
    readings.push(reading);
  }
  return readings;
}

/** The cached reading. A caller that names a version has the task already, so the cache is not needed. */
function cachedWhole(dependencies: CachedReadDependencies, taskId: string, view: TaskView): WholeReading | undefined {
  return view.version === undefined ? dependencies.cache.get(taskId, view) : undefined;
}

interface Known {
  readonly view: TaskView;
  readonly known: WholeReading | undefined;
}

function readRequest(scope: Scope, taskId: string, { view, known }: Known): ReadRequest {
  return {
    taskId,
    owner: ownerOf(scope),
    version: view.version ?? known?.version ?? '',
    historyLength: view.historyLength ?? '',
    parts: view.includeArtifacts === false ? 'none' : 'all',
  };
}

/** Joins a reply with the cached task. The cache may hold a task of another principal, or a gone one: Redis decides. */
function merge(
  dependencies: CachedReadDependencies,
  { taskId, view, known }: Known & { readonly taskId: string },
  reading: TaskReading | undefined,
): TaskReading | undefined {
  if (!reading) return undefined;
  if (reading.task !== undefined) dependencies.cache.set(taskId, view, { ...reading, task: reading.task });
  // The task is unchanged: the cache has it, or the caller does. Its state may have changed under the same version: see
  // set-visibility.lua.
  return reading.task === undefined && known ? { ...reading, task: known.task } : reading;
}

/** State and version, without the task. */
export async function readPosition(
  dependencies: CachedReadDependencies,
  scope: Scope,
  taskId: string,
): Promise<TaskReading | undefined> {
  const request = { taskId, owner: ownerOf(scope), version: '', historyLength: '', parts: 'position' } as const;
  return (await send(dependencies, request)) ?? archivedPosition(dependencies, scope, taskId);
}

/** Reads a task of any principal, for the worker that holds its turn. */
export async function readWhole(dependencies: ReadDependencies, taskId: string): Promise<TaskReading | undefined> {
  const alone = { ...dependencies, largeTasks: undefined };
  const [reading] = await readAll(alone, [{ taskId, owner: '', version: '', historyLength: '', parts: 'all' }]);
  return reading;
}

/** A task of any principal, with the pieces of its JSON as pieces.lua gives them. */
export interface TaskInPieces {
  readonly reading: TaskReading;
  readonly pieces: readonly Piece[];
}

/** Of tasks that are read in pieces together: those beyond are read alone. */
const BYTES_IN_PIECES = 1_024 * 1_024;

/** Reads tasks with one message to each shard. A damaged one rejects by itself; undefined: it is gone. */
export function readInPieces(
  dependencies: ReadDependencies,
  taskIds: readonly string[],
): ReadonlyMap<string, Promise<TaskInPieces | undefined>> {
  const readings = new Map<string, Promise<TaskInPieces | undefined>>();
  for (const ids of Map.groupBy(taskIds, (taskId) => dependencies.shards.of(taskId)).values()) {
    const requests = ids.map(
      (taskId): ReadRequest => ({ taskId, owner: '', version: '', historyLength: '', parts: 'all' }),
    );
    const replies = sendBatchThenEach(requests, (some) => runRead(dependencies, some, BYTES_IN_PIECES));
    for (const [i, request] of requests.entries())
      readings.set(
        request.taskId,
        replies.then(async (all) => {
          const reply = await all[i];
          return inPieces(reply === '' ? (await runRead(dependencies, [request], 0))[0] : reply);
        }),
      );
  }
  return readings;
}

function inPieces(reply: Reply | undefined): TaskInPieces | undefined {
  if (!Array.isArray(reply)) return undefined;
  const [summary, version, ...pieces] = reply;
  return { reading: readingAt(version, summary), pieces };
}

function send({ reads, shards }: CachedReadDependencies, request: ReadRequest): Promise<TaskReading | undefined> {
  const { taskId, owner, version, historyLength, parts } = request;
  // Ids and versions come from clients, and may contain blanks: the length says where the id ends.
  const key = `${owner} ${taskId.length} ${taskId} ${historyLength} ${parts} ${version}`;
  return reads.of(shards.of(taskId)).send(request, key);
}

/** Reads tasks of one shard. */
async function readAll(
  dependencies: ReadDependencies,
  requests: readonly ReadRequest[],
): Promise<(TaskReading | undefined | Promise<TaskReading | undefined>)[]> {
  const replies = await runRead(dependencies, requests, 0);
  return requests.map((request, i) => readingOf(dependencies, request, replies[i] ?? null));
}

/** @returns null: the task is damaged, and is left out like one that is gone */
async function orMissing(
  { onError }: CachedReadDependencies,
  reply: Reply | Promise<Reply> | undefined,
): Promise<Reply> {
  try {
    return (await reply) ?? null;
  } catch (error) {
    if (isOutage(error) || !(error instanceof Error)) throw error;
    onError(error);
    return null;
  }
}

/** @param maxBytes as in read.lua */
function runRead(
  { redis, shards, settings }: ReadDependencies,
  requests: readonly ReadRequest[],
  maxBytes: number,
): Promise<Reply[]> {
  return readScript
    .run(redis, {
      keys: { tasks: requests.map(({ taskId }) => shards.of(taskId).task(taskId)) },
      args: { largeBytes: settings.largeTextBytes, maxBytes },
      each: requests,
    })
    .catch((error: unknown) => throwNamed(error, requests));
}

/** Names the task, if there is one that cannot be read. */
function throwNamed(error: unknown, [request, ...others]: readonly ReadRequest[]): never {
  const isRefused = error instanceof Error && error.name === 'ReplyError' && !isOutage(error);
  if (!isRefused || others.length > 0) throw error;
  throw new Error(`Task ${request?.taskId} cannot be read: ${error.message}`, { cause: error });
}

function readingOf(
  dependencies: ReadDependencies,
  request: ReadRequest,
  reply: Reply,
): TaskReading | undefined | Promise<TaskReading | undefined> {
  if (reply === null || reply === '') return undefined;
  if (typeof reply === 'string') return readingAt(request.version, reply);
  const [summary, version, ...pieces] = reply;
  const reading = readingAt(version, summary);
  return pieces.length ? withTask(dependencies, request, reading, pieces) : reading;
}

/** Adds the task. Reads again if a large text was replaced before it was fetched. */
async function withTask(
  dependencies: ReadDependencies,
  request: ReadRequest,
  reading: TaskReading,
  pieces: readonly Piece[],
): Promise<TaskReading | undefined> {
  const task = await taskOf(dependencies, request, { version: reading.version, pieces });
  if (task !== undefined) return { ...reading, task };
  const [again] = await readAll(dependencies, [request]);
  return again;
}

/** @throws {AnswersTooLarge} */
async function taskOf(
  { redis, largeTasks }: ReadDependencies,
  { taskId, historyLength, parts }: ReadRequest,
  { version, pieces }: { readonly version: string; readonly pieces: readonly Piece[] },
): Promise<TaskJson | undefined> {
  const bytes = bytesIn(pieces);
  const read = (): Promise<Buffer[] | undefined> => readPieces(redis, pieces);
  if (largeTasks && isLarge(bytes)) {
    return largeTasks.get(redis, { key: `${version} ${historyLength} ${parts} ${taskId}`, bytes, read });
  }
  const found = await read();
  return found && TaskJson.of(found);
}
