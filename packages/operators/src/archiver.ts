import { setTimeout as delay } from 'node:timers/promises';
import { redisTimeMs } from '@switchyard/redis';
import { type ArchivedTask, isOutage, type TaskArchive } from '@switchyard/store';
import { keptSince, REMOTE_AGENTS, type ShardKeys, sortableTime } from '@switchyard/store/inside';
import { cursorKeptMs, moveCursor, readCursor, setCursorsBack } from './archive-cursor.ts';
import { type PreparedCopy, prepareCopies } from './archived-copy.ts';
import { addLeftOut, leftOut } from './left-out.ts';
import type { OperatorDependencies } from './operator-dependencies.ts';
import type { OperatorTasks } from './operator-tasks.ts';

interface ArchiverDependencies extends OperatorDependencies {
  readonly archive: TaskArchive;
  readonly tasks: OperatorTasks;
}

export interface Archived {
  readonly copied: number;
  /** For how long a task had waited at the beginning, at most, beside the time that it should wait. */
  readonly behindMs: number;
  /** Tasks that cannot be read, or that the archive refuses: they are left out, so that others are copied. */
  readonly damaged: readonly DamagedTask[];
}

export interface DamagedTask {
  readonly taskId: string;
  readonly error: unknown;
}

export interface ArchiveReading {
  readonly tasks: number;
  readonly bytes: number;
  /** ISO times; unset: it has no task. */
  readonly oldestEndedAt?: string;
  readonly latestEndedAt?: string;
  /** How long ago the next task to copy may have ended; unset: no task has ended. */
  readonly delayMs?: number;
  /** Tasks that Redis still has, and that could not be copied; the latest first. */
  readonly leftOut: string[];
}

export interface RunOptions {
  /**
   * How long a task has ended before it is copied. Longer than the clocks of Redis' servers differ: a replica that
   * becomes master goes on with its own.
   */
  readonly afterMs: number;
  readonly everyMs: number;
  readonly signal: AbortSignal;
  /** How long to copy nothing of a shard after a batch of it. Default: not at all. */
  readonly pauseMs?: (batch: CopiedBatch) => number | Promise<number>;
}

export interface CopiedBatch {
  readonly tookMs: number;
  /** How much longer than `afterMs` a task of the shard may have waited. Infinity: unknown. */
  readonly behindMs: number;
}

export const ENDED_LETTERS = 'CFXR';
const TIME_LENGTH = 8;
/** Tasks of one index and state that a step looks at. */
const TASKS_OF_RANGE = 500;
/**
 * Tasks that are written together. A busy worker waits long for each answer of PostgreSQL, and with few tasks for each
 * it would copy fewer than end.
 */
const TASKS_AT_ONCE = 100;
/** Tasks that are read together: a turn of this process waits for its commands behind theirs. */
const READ_AT_ONCE = 10;
/** Bytes of tasks that are in memory at the same time, and written together; a larger task is alone. */
export const BATCH_BYTES = 1024 ** 2;
const EXPIRED_AT_ONCE = 1_000;
/** One process copies a shard at a time. If it stops, another one goes on after this time. */
const CLAIM_MS = 10_000;

/**
 * Copies ended tasks to the archive, oldest first, while Redis has them. A shard's key `archived` is the time before
 * which all of its ended tasks were copied. Tasks are copied again if a process stops before it has written the key, and
 * if the key is lost.
 */
export class Archiver {
  readonly #dependencies: ArchiverDependencies;

  constructor(dependencies: ArchiverDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Copies what has ended, of the shards that no other process has copied within `everyMs`.
   * @throws {ArchiveUnavailable} nothing is lost: the tasks stay in Redis for their retention
   */
  async run(options: RunOptions): Promise<Archived> {
    const done = await Promise.all(this.#dependencies.shards.all.map((keys) => this.#copyShard(keys, options)));
    return {
      copied: done.reduce((sum, { copied }) => sum + copied, 0),
      behindMs: Math.max(0, ...done.map(({ behindMs }) => behindMs)),
      damaged: done.flatMap(({ damaged }) => damaged),
    };
  }

  /** What the archive has, and how far it is behind. */
  async status(): Promise<ArchiveReading> {
    const { archive } = this.#dependencies;
    const [{ tasks, bytes, oldest, latest }, delays, left] = await Promise.all([
      archive.status(),
      archiveDelays(this.#dependencies),
      leftOut(this.#dependencies),
    ]);
    return {
      tasks,
      bytes,
      ...(oldest && { oldestEndedAt: iso(Number.parseInt(oldest, 36)) }),
      ...(latest && { latestEndedAt: iso(Number.parseInt(latest, 36)) }),
      ...(delays.length > 0 && { delayMs: Math.max(0, ...delays) }),
      leftOut: left,
    };
  }

  /**
   * Makes workers copy again what Redis has.
   * @param since only what has ended since this ISO time; unset: all
   */
  recopy(since?: string): Promise<void> {
    return setCursorsBack(this.#dependencies, since);
  }

  /** Counts the tasks of the archive again. @throws {ArchiveUnavailable} */
  recount(): Promise<void> {
    return this.#dependencies.archive.recount();
  }

  /** Forgets tasks of the archive that ended longer ago. @returns their number */
  async expire(retentionMs: number, signal: AbortSignal): Promise<number> {
    const before = keptSince(retentionMs);
    for (let count = 0; ; ) {
      const expired = await this.#dependencies.archive.expire(before, EXPIRED_AT_ONCE);
      count += expired;
      if (expired < EXPIRED_AT_ONCE || signal.aborted) return count;
    }
  }

  async #copyShard(keys: ShardKeys, options: RunOptions): Promise<Archived> {
    const { redis } = this.#dependencies;
    const claim = `${keys.archived}:claim`;
    if ((await redis.set(claim, '', 'PX', CLAIM_MS, 'NX')) === null) return { copied: 0, behindMs: 0, damaged: [] };
    let isDone = false;
    try {
      const archived = await this.#copyClaimed(keys, {
        ...options,
        keepClaim: (pauseMs) => redis.pexpire(claim, Math.ceil(CLAIM_MS + pauseMs)),
      });
      isDone = !options.signal.aborted;
      return archived;
    } finally {
      // After a pause, the process that looks first copies next.
      await (isDone ? redis.pexpire(claim, Math.ceil(options.everyMs / 2)) : redis.unlink(claim));
    }
  }

  async #copyClaimed(keys: ShardKeys, { afterMs, signal, pauseMs, keepClaim }: ClaimedOptions): Promise<Archived> {
    const { redis, settings } = this.#dependencies;
    let [copied, behindMs] = [0, 0];
    const damaged: DamagedTask[] = [];
    let batchBegunAt = performance.now();
    let hasPaused = false;
    for (;;) {
      const begunAt = performance.now();
      const nowMs = await redisTimeMs(redis);
      const from = (await readCursor(redis, keys)) ?? '';
      const behindAtFirst = from === '' ? Number.POSITIVE_INFINITY : nowMs - afterMs - Number.parseInt(from, 36);
      if (from !== '') behindMs = Math.max(behindMs, behindAtFirst);
      const goOn = async (): Promise<void> => {
        const now = performance.now();
        const batch = { tookMs: now - batchBegunAt, behindMs: behindAtFirst + now - begunAt };
        const pause = (await pauseMs?.(batch)) ?? 0;
        await keepClaim(pause);
        if (pause > 0) await pauseFor(pause, signal);
        hasPaused ||= pause > 0;
        batchBegunAt = performance.now();
      };
      const keptMs = cursorKeptMs(settings);
      if (!(await moveCursor(redis, keys, { from, upto: from, keptMs }))) continue;
      const step = await this.#nextStep(keys, { from, upto: sortableTime(iso(nowMs - afterMs)) });
      const known = damaged.length;
      copied += await this.copy(step.taskIds, { signal, goOn, damaged });
      const taskIds = damaged.slice(known).map(({ taskId }) => taskId);
      await addLeftOut(this.#dependencies, keys, { taskIds, nowMs });
      if (signal.aborted) return { copied, behindMs, damaged };
      // An operator may have set it back meanwhile.
      const isMoved = await moveCursor(redis, keys, { from, upto: step.upto, keptMs });
      // With pauses, a run would last for hours, and its caller learns of damaged tasks at its end.
      if (isMoved && (step.isLast || hasPaused)) return { copied, behindMs, damaged };
    }
  }

  /** The tasks that ended from one time on, until another one; fewer if there are too many. */
  async #nextStep(
    keys: ShardKeys,
    { from, upto }: { readonly from: string; readonly upto: string },
  ): Promise<{ readonly taskIds: string[]; readonly upto: string; readonly isLast: boolean }> {
    for (let limit = TASKS_OF_RANGE; ; limit *= 2) {
      const ranges = await endedTasks(this.#dependencies, keys, { from, upto, limit });
      const cut = ranges.flatMap((range) => (range.length === limit ? [timeIn(range.at(-1))] : [])).sort();
      // As many tasks as the limit ended in one millisecond.
      if (cut[0] === from) continue;
      const until = cut[0] ?? upto;
      const entries = ranges.flat().filter((entry) => timeIn(entry) < until);
      return { taskIds: entries.map(taskIdIn), upto: until, isLast: cut.length === 0 };
    }
  }

  /** Copies these tasks, as far as they have ended. @returns how many */
  async copy(taskIds: readonly string[], { signal, goOn, damaged }: Copying): Promise<number> {
    let copied = 0;
    for (let at = 0; at < taskIds.length && !signal.aborted; at += TASKS_AT_ONCE) {
      const found = await this.#prepare(taskIds.slice(at, at + TASKS_AT_ONCE), damaged);
      for (const copies of batchesOf(found)) {
        const read = await Promise.all(copies.map((copy) => unlessDamaged(copy.taskId, damaged, copy.read())));
        const tasks = read.filter((task) => task !== undefined);
        copied += await this.#put(tasks, damaged);
        await goOn();
      }
    }
    return copied;
  }

  async #prepare(taskIds: readonly string[], damaged: DamagedTask[]): Promise<PreparedCopy[]> {
    const found: PreparedCopy[] = [];
    for (let at = 0; at < taskIds.length; at += READ_AT_ONCE) {
      const ids = taskIds.slice(at, at + READ_AT_ONCE);
      const copies = prepareCopies(this.#dependencies, ids).map((copy, i) => unlessDamaged(ids[i], damaged, copy));
      found.push(...(await Promise.all(copies)).filter((copy) => copy !== undefined));
    }
    return found;
  }

  /** Together, or one by one if the archive refuses one of them. @returns how many */
  async #put(tasks: readonly ArchivedTask[], damaged: DamagedTask[]): Promise<number> {
    const [first] = tasks;
    if (!first) return 0;
    try {
      await this.#dependencies.archive.put(tasks);
      return tasks.length;
    } catch (error) {
      if (isOutage(error)) throw error;
      if (tasks.length === 1) {
        damaged.push({ taskId: first.id, error });
        return 0;
      }
    }
    let copied = 0;
    for (const task of tasks) copied += await this.#put([task], damaged);
    return copied;
  }
}

interface ClaimedOptions extends RunOptions {
  /** Without it, another process would go on with the shard. */
  readonly keepClaim: (pauseMs: number) => Promise<unknown>;
}

/** Shorter if the process stops. */
async function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

function batchesOf(copies: readonly PreparedCopy[]): PreparedCopy[][] {
  const batches: PreparedCopy[][] = [];
  let sum = Number.POSITIVE_INFINITY;
  for (const copy of copies) {
    sum += copy.bytes;
    if (sum > BATCH_BYTES) {
      batches.push([]);
      sum = copy.bytes;
    }
    batches.at(-1)?.push(copy);
  }
  return batches;
}

async function unlessDamaged<T>(taskId = '', damaged: DamagedTask[], task: Promise<T>): Promise<T | undefined> {
  try {
    return await task;
  } catch (error) {
    if (isOutage(error)) throw error;
    damaged.push({ taskId, error });
    return undefined;
  }
}

interface Copying {
  readonly signal: AbortSignal;
  /** Called after each batch. */
  readonly goOn: () => Promise<unknown>;
  readonly damaged: DamagedTask[];
}

/** The time in an entry of an index: state, time, id. */
const timeIn = (entry = ''): string => entry.slice(1, 1 + TIME_LENGTH);
export const taskIdIn = (entry: string): string => entry.slice(1 + TIME_LENGTH);
const iso = (ms: number): string => new Date(Math.max(0, ms)).toISOString();

/** How long ago the next task to copy may have ended, of each shard that has one. */
export async function archiveDelays(dependencies: DelayDependencies): Promise<number[]> {
  const { redis, shards } = dependencies;
  const [nowMs, ...times] = await Promise.all([
    redisTimeMs(redis),
    ...shards.all.map(async (keys) => (await readCursor(redis, keys)) || oldestEnd(dependencies, keys)),
  ]);
  return times.flatMap((time) => (time ? [nowMs - Number.parseInt(time, 36)] : []));
}

/** Whether an agent has tasks that are not copied to the archive, or have not ended. */
export async function hasUncopied(
  { redis, shards }: Pick<OperatorDependencies, 'redis' | 'shards'>,
  agent: string,
): Promise<boolean> {
  const found = await Promise.all(
    shards.all.map(async (keys) => {
      const index = keys.agentIndex(agent);
      const upto = (await readCursor(redis, keys)) ?? '';
      const [all, ...copied] = await Promise.all([
        redis.zcard(index),
        ...Array.from(ENDED_LETTERS, (letter) => redis.zlexcount(index, `[${letter}`, `(${letter}${upto}`)),
      ]);
      return all > copied.reduce((sum, count) => sum + count, 0);
    }),
  );
  return found.some(Boolean);
}

type DelayDependencies = Pick<OperatorDependencies, 'redis' | 'shards' | 'registry'>;

/** Of a shard from which nothing was copied yet. */
async function oldestEnd(dependencies: DelayDependencies, keys: ShardKeys): Promise<string | undefined> {
  const first = await endedTasks(dependencies, keys, { from: '', upto: '~', limit: 1 });
  return first.flat().map(timeIn).sort()[0];
}

/** Entries of tasks that ended from one time on, before another one; of each agent and state at most `limit`. */
async function endedTasks(
  { redis, registry }: DelayDependencies,
  keys: ShardKeys,
  { from, upto, limit }: { readonly from: string; readonly upto: string; readonly limit: number },
): Promise<string[][]> {
  const agents = [...(await registry.ids()), REMOTE_AGENTS];
  return Promise.all(
    agents.flatMap((agent) =>
      Array.from(ENDED_LETTERS, (letter) =>
        redis.zrangebylex(keys.agentIndex(agent), `[${letter}${from}`, `(${letter}${upto}`, 'LIMIT', 0, limit),
      ),
    ),
  );
}
