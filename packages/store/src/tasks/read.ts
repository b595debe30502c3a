import { BatchesByShard } from '../redis/batches.ts';
import type { RedisConnection } from '../redis/connection.ts';
import type { Deadline } from '../redis/deadline.ts';
import { ownerOf, type Scope } from '../redis/principal.ts';
import { list, optional, type Parser, text, tupleAnd } from '../redis/reply.ts';
import { defineScript } from '../redis/script.ts';
import type { Shards } from '../redis/shards.ts';
import { joinPieces, type Piece, piece } from './pieces.ts';
import { stateOf, withdrawnLetter } from './state-letters.ts';
import type { TaskCache, WholeReading } from './task-cache.ts';
import type { TaskReading, TaskView } from './task-reading.ts';

export interface ReadPort {
  readonly redis: RedisConnection;
  readonly shards: Shards;
  readonly settings: { readonly largeTextBytes: number };
  /** Of those who ask; unset: they wait. */
  readonly deadline?: Deadline | undefined;
}

export interface CachedReadPort extends ReadPort {
  readonly cache: TaskCache;
  readonly reads: TaskReads;
}

/** What a read asks Redis, as read.lua has it. */
interface Question {
  readonly taskId: string;
  readonly owner: string;
  readonly version: string;
  readonly historyLength: number | '';
  readonly parts: 'all' | 'none' | 'standing';
}

/**
 * `standing`: the state's letter, and `released`. Alone: the version that the question named is the present one. '':
 * left out.
 */
type Reply = null | string | [standing: string, version: string, ...pieces: Piece[]];

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

/** Reads of this process that leave together. */
export type TaskReads = BatchesByShard<Question, TaskReading | undefined>;

const LIMITS = { questions: 32, messages: 1 };

export const taskReads = (port: ReadPort): TaskReads =>
  new BatchesByShard((questions) => readAll(port, questions), { ...LIMITS, deadline: port.deadline });

/**
 * One round trip, shared with whoever asks meanwhile; one more if an artifact is large.
 * @returns undefined: no such task in this scope
 */
export async function readTask(
  port: CachedReadPort,
  scope: Scope,
  taskId: string,
  view: TaskView = {},
): Promise<TaskReading | undefined> {
  const known = knownOf(port, taskId, view);
  return merge(port, { taskId, view, known }, await ask(port, questionOf(scope, taskId, { view, known })));
}

/**
 * Tasks in this order, with one message to each of their shards. Those that follow when all have `maxBytes` together
 * are left out, but for the first: `undefined` stands for a task that is gone.
 */
export async function readTogether(
  port: CachedReadPort & { readonly settings: { readonly maxPageBytes: number } },
  scope: Scope,
  { taskIds, view }: { readonly taskIds: readonly string[]; readonly view: TaskView },
): Promise<(TaskReading | undefined)[]> {
  const asked = taskIds.map((taskId) => {
    const known = knownOf(port, taskId, view);
    return { taskId, view, known, question: questionOf(scope, taskId, { view, known }) };
  });
  const { maxPageBytes } = port.settings;
  const replies = new Map<string, Reply>();
  const shards = Map.groupBy(asked, ({ taskId }) => port.shards.of(taskId));
  const ask = async (some: typeof asked): Promise<void> => {
    const found = await runRead(
      port,
      some.map(({ question }) => question),
      maxPageBytes,
    );
    some.forEach(({ taskId }, i) => void replies.set(taskId, found[i] ?? null));
  };
  await Promise.all([...shards.values()].map(ask));
  const readings: (TaskReading | undefined)[] = [];
  let bytes = 0;
  for (const { taskId, question, known } of asked) {
    const reply = replies.get(taskId) ?? null;
    if (bytes >= maxPageBytes || reply === '') break;
    const reading = merge(port, { taskId, view, known }, await readingOf(port, question, reply));
    bytes += reading?.task?.length ?? 0;
    readings.push(reading);
  }
  return readings;
}

/** Who names a version has it, and needs no other. */
function knownOf(port: CachedReadPort, taskId: string, view: TaskView): WholeReading | undefined {
  return view.version === undefined ? port.cache.get(taskId, view) : undefined;
}

interface Known {
  readonly view: TaskView;
  readonly known: WholeReading | undefined;
}

function questionOf(scope: Scope, taskId: string, { view, known }: Known): Question {
  return {
    taskId,
    owner: ownerOf(scope),
    version: view.version ?? known?.version ?? '',
    historyLength: view.historyLength ?? '',
    parts: view.includeArtifacts === false ? 'none' : 'all',
  };
}

/** What is kept may be another principal's, or of a task that is gone: Redis has the say. */
function merge(
  port: CachedReadPort,
  { taskId, view, known }: Known & { readonly taskId: string },
  reading: TaskReading | undefined,
): TaskReading | undefined {
  if (!reading) return undefined;
  if (reading.task !== undefined) port.cache.set(taskId, view, { ...reading, task: reading.task });
  // Unchanged: we have it, or the caller does.
  return reading.task === undefined && known ? known : reading;
}

/** As `readTask`, without the task. */
export function readStanding(port: CachedReadPort, scope: Scope, taskId: string): Promise<TaskReading | undefined> {
  return ask(port, { taskId, owner: ownerOf(scope), version: '', historyLength: '', parts: 'standing' });
}

/** For the worker that holds the task's turn, whoever owns the task. */
export async function readWhole(port: ReadPort, taskId: string): Promise<TaskReading | undefined> {
  const [reading] = await readAll(port, [{ taskId, owner: '', version: '', historyLength: '', parts: 'all' }]);
  return reading;
}

function ask({ reads, shards }: CachedReadPort, question: Question): Promise<TaskReading | undefined> {
  const { taskId, owner, version, historyLength, parts } = question;
  // Ids and versions are the caller's, and may hold anything: the length says where the id ends.
  const key = `${owner} ${taskId.length} ${taskId} ${historyLength} ${parts} ${version}`;
  return reads.of(shards.of(taskId)).ask(key, question);
}

/** Tasks of one shard. */
async function readAll(
  port: ReadPort,
  questions: readonly Question[],
): Promise<(TaskReading | undefined | Promise<TaskReading | undefined>)[]> {
  const replies = await runRead(port, questions, 0);
  return questions.map((question, i) => readingOf(port, question, replies[i] ?? null));
}

/** @param maxBytes as in read.lua */
function runRead(
  { redis, shards, settings }: ReadPort,
  questions: readonly Question[],
  maxBytes: number,
): Promise<Reply[]> {
  return readScript.run(redis, {
    keys: { tasks: questions.map(({ taskId }) => shards.of(taskId).task(taskId)) },
    args: { largeBytes: settings.largeTextBytes, maxBytes },
    each: questions,
  });
}

function readingOf(
  port: ReadPort,
  question: Question,
  reply: Reply,
): TaskReading | undefined | Promise<TaskReading | undefined> {
  if (reply === null || reply === '') return undefined;
  if (typeof reply === 'string') return readingAt(question.version, reply);
  const [standing, version, ...pieces] = reply;
  const reading = readingAt(version, standing);
  return pieces.length ? withTask(port, question, reading, pieces) : reading;
}

function readingAt(version: string, standing: string): TaskReading {
  const [state = '', released] = [standing[0], standing.slice(1)];
  const [seq = 0, incarnation = 0] = version.split('-', 2).map(Number);
  const isWithdrawn = state === withdrawnLetter;
  return { version, seq, incarnation, state: stateOf(state), isWithdrawn, released: Number(released) };
}

/** What was replaced while its large texts were fetched is read again. */
async function withTask(
  port: ReadPort,
  question: Question,
  reading: TaskReading,
  pieces: readonly Piece[],
): Promise<TaskReading | undefined> {
  const task = await joinPieces(port.redis, pieces);
  if (task !== undefined) return { ...reading, task };
  const [again] = await readAll(port, [question]);
  return again;
}
