import { ownerOf, type Scope } from '../principal.ts';
import type { RedisConnection } from '../redis/connection.ts';
import { Script } from '../redis/script.ts';
import type { Shards } from '../redis/shards.ts';
import { stateOf } from './state-letters.ts';
import type { TaskCache } from './task-cache.ts';
import type { TaskReading, TaskView } from './task-reading.ts';

const readScript = new Script('read.lua', import.meta.url);

export interface ReadPort {
  readonly redis: RedisConnection;
  readonly shards: Shards;
  readonly cache: TaskCache;
  readonly settings: { readonly largeTextBytes: number };
}

type Piece = string | [key: string, last: number];
type Reply = null | [version: string, seq: string, state: string, released: string, ...pieces: Piece[]];

/** One round trip; one more if an artifact is large. @returns undefined: no such task in this scope */
export async function readTask(
  port: ReadPort,
  scope: Scope,
  taskId: string,
  view: TaskView = {},
): Promise<TaskReading | undefined> {
  const known = port.cache.get(taskId, view);
  const version = view.version ?? known?.version;
  const reading = await read(port, ownerOf(scope), taskId, { ...view, version });
  // What is kept may be another principal's, or of a task that is gone: Redis has the say.
  if (!reading) return undefined;
  if (reading.task !== undefined) port.cache.set(taskId, view, { ...reading, task: reading.task });
  // Unchanged: the caller has it, or we do.
  return reading.task === undefined && reading.version !== view.version ? known : reading;
}

/** For the worker that holds the task's turn, whoever owns the task. */
export function readWhole(port: Omit<ReadPort, 'cache'>, taskId: string): Promise<TaskReading | undefined> {
  return read(port, '', taskId, {});
}

async function read(
  { redis, shards, settings }: Omit<ReadPort, 'cache'>,
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
    const task = await join(redis, pieces);
    if (task !== undefined) return { ...reading, task };
  }
}

/** @returns undefined: a large artifact was replaced between the two reads */
async function join(redis: RedisConnection, pieces: Piece[]): Promise<string | undefined> {
  const isReady = pieces.every((piece) => typeof piece === 'string');
  if (isReady) return pieces.join('');
  const texts = await Promise.all(pieces.map((piece) => (typeof piece === 'string' ? piece : large(redis, piece))));
  return texts.includes(undefined) ? undefined : texts.join('');
}

/** Such a text only grows: its first `last` bytes are the text as of the read. */
async function large(redis: RedisConnection, [key, last]: [key: string, last: number]): Promise<string | undefined> {
  const text = await redis.getrangeBuffer(key, 1, last);
  return text.length === last ? text.toString() : undefined;
}
