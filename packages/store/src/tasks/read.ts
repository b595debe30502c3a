import { ownerOf, type Scope } from '../principal.ts';
import type { RedisConnection } from '../redis/connection.ts';
import { Script } from '../redis/script.ts';
import type { Shards } from '../redis/shards.ts';
import { joinPieces, type Piece } from './pieces.ts';
import type { ReadGroups } from './read-groups.ts';
import { stateOf } from './state-letters.ts';
import type { TaskCache } from './task-cache.ts';
import type { TaskReading, TaskView } from './task-reading.ts';

const readScript = new Script('read.lua', import.meta.url);

export interface ReadPort {
  readonly redis: RedisConnection;
  readonly shards: Shards;
  readonly cache: TaskCache;
  readonly reads: ReadGroups<TaskReading | undefined>;
  readonly settings: { readonly largeTextBytes: number };
}

type Reply = null | [version: string, seq: string, state: string, released: string, ...pieces: Piece[]];

/** One round trip, shared with whoever asks meanwhile; one more if an artifact is large. @returns undefined: no such task in this scope */
export async function readTask(
  port: ReadPort,
  scope: Scope,
  taskId: string,
  view: TaskView = {},
): Promise<TaskReading | undefined> {
  const known = port.cache.get(taskId, view);
  const version = view.version ?? known?.version;
  const owner = ownerOf(scope);
  const { historyLength = '', includeArtifacts = true } = view;
  // Ids and versions are the caller's, and may hold anything: the length says where the id ends.
  const question = `${owner} ${taskId.length} ${taskId} ${historyLength} ${includeArtifacts} ${version ?? ''}`;
  const reading = await port.reads
    .of(port.shards.of(taskId))
    .ask(question, () => read(port, owner, taskId, { ...view, version }));
  // What is kept may be another principal's, or of a task that is gone: Redis has the say.
  if (!reading) return undefined;
  if (reading.task !== undefined) port.cache.set(taskId, view, { ...reading, task: reading.task });
  // Unchanged: the caller has it, or we do.
  return reading.task === undefined && reading.version !== view.version ? known : reading;
}

/** For the worker that holds the task's turn, whoever owns the task. */
export function readWhole(port: Omit<ReadPort, 'cache' | 'reads'>, taskId: string): Promise<TaskReading | undefined> {
  return read(port, '', taskId, {});
}

async function read(
  { redis, shards, settings }: Omit<ReadPort, 'cache' | 'reads'>,
  owner: string,
  taskId: string,
  { historyLength, includeArtifacts = true, version = '' }: TaskView,
): Promise<TaskReading | undefined> {
  const parts = includeArtifacts ? 'all' : 'none';
  const args = [taskId, owner, version, historyLength ?? '', parts, settings.largeTextBytes];
  for (;;) {
    const reply = (await readScript.run(redis, [shards.of(taskId).task(taskId)], args)) as Reply;
    if (!reply) return undefined;
    const [present, seq, state, released, ...pieces] = reply;
    const reading = { version: present, seq: Number(seq), state: stateOf(state), released: Number(released) };
    if (!pieces.length) return reading;
    const task = await joinPieces(redis, pieces);
    if (task !== undefined) return { ...reading, task };
  }
}
