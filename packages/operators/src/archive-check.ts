import { setTimeout as delay } from 'node:timers/promises';
import { ArchiveUnavailable, type Inspection, isOutage, type TaskArchive } from '@switchyard/store';
import {
  decodePageToken,
  encodePageToken,
  fingerprintOf,
  REMOTE_AGENTS,
  type ShardKeys,
} from '@switchyard/store/inside';
import { readCursor } from './archive-cursor.ts';
import { type PreparedContents, prepareContents } from './archived-copy.ts';
import { type Archiver, BATCH_BYTES, type DamagedTask, ENDED_LETTERS, taskIdIn } from './archiver.ts';
import type { OperatorDependencies } from './operator-dependencies.ts';
import type { OperatorTasks } from './operator-tasks.ts';

/**
 * `missing`: the archive does not have the task. `different`: it has it with something else. `unreadable`: its copy
 * cannot be read. `deleted`: it was deleted there, and Redis still has it. `damaged`: Redis has it, and cannot read it.
 */
export type ArchiveProblem = 'missing' | 'different' | 'unreadable' | 'deleted' | 'damaged';

export interface ProblemOfTask {
  readonly taskId: string;
  readonly problem: ArchiveProblem;
  /** Whether it was copied again, or deleted in Redis, too; unset: nothing was repaired. */
  readonly isRepaired?: boolean;
}

export interface CheckProgress {
  /** About so many tasks will be looked at. */
  readonly total: number;
  readonly done: number;
  /** Of the tasks since the progress before. */
  readonly problems: readonly ProblemOfTask[];
  /** With it, another check goes on from here. */
  readonly nextPageToken: string;
  readonly isDone: boolean;
}

export interface CheckOptions {
  /** About so many tasks are looked at, of all that there are; 0: all. */
  readonly sample: number;
  /** Copies what is missing or different, and deletes in Redis what was deleted in the archive. */
  readonly isRepair: boolean;
  /** Of an earlier check with the same options. */
  readonly pageToken?: string | undefined;
}

interface CheckDependencies extends OperatorDependencies {
  readonly archive: TaskArchive;
  readonly tasks: OperatorTasks;
}

const ENTRIES_AT_ONCE = 500;
/** Tasks that are compared before the next event of its progress. */
const TASKS_AT_ONCE = 20;
/** A deletion that was under way has ended after this time, and a task that was changed is read again. */
const SECOND_LOOK_MS = 500;

/** A part of an index: ended tasks of a shard, an agent and a state, before a time. */
interface Range {
  /** Sorts ranges, whichever agents there are. */
  readonly name: string;
  readonly index: string;
  readonly letter: string;
  readonly before: string;
}

/** The name of a range, an entry in it, and how many tasks were looked at. */
type Position = readonly [range: string, entry: string, done: number];

/**
 * Compares the ended tasks that Redis has, and that should be copied, with their copies. It changes nothing unless it
 * repairs. Redis and the archive have twenty tasks of work at a time.
 */
export class ArchiveCheck {
  readonly #dependencies: CheckDependencies;
  readonly #archiver: Pick<Archiver, 'copy'>;

  constructor(dependencies: CheckDependencies, archiver: Pick<Archiver, 'copy'>) {
    this.#dependencies = dependencies;
    this.#archiver = archiver;
  }

  /** @throws {InvalidPageToken} @throws {ArchiveUnavailable} */
  async *run({ sample, isRepair, pageToken }: CheckOptions, signal: AbortSignal): AsyncGenerator<CheckProgress, void> {
    const filters = ['archive check', sample, isRepair];
    const token = decodePageToken(pageToken, filters);
    let position: Position = token === undefined ? ['', '', 0] : JSON.parse(token);
    const ranges = await this.#ranges();
    const there = await this.#count(ranges);
    const share = sample === 0 || there <= sample ? 1 : sample / there;
    const progress = (problems: readonly ProblemOfTask[], isDone: boolean): CheckProgress => {
      const done = position[2];
      const total = isDone ? done : Math.max(Math.round(share * there), done);
      return { total, done, problems, nextPageToken: encodePageToken(JSON.stringify(position), filters), isDone };
    };
    yield progress([], false);
    for await (const [name, entries] of this.#chosen(ranges, { position, share })) {
      if (signal.aborted) return;
      const problems = await this.#look(entries.map(taskIdIn), isRepair);
      position = [name, entries.at(-1) ?? '', position[2] + entries.length];
      yield progress(problems, false);
    }
    yield progress([], true);
  }

  /** Entries after the position, few at a time, each with the name of its range. */
  async *#chosen(
    ranges: readonly Range[],
    { position: [first, after], share }: { readonly position: Position; readonly share: number },
  ): AsyncGenerator<[range: string, entries: string[]], void> {
    for (const range of ranges) {
      const { name } = range;
      if (name < first) continue;
      for await (const entries of this.#entries(range, name === first ? after : '')) {
        const chosen = share === 1 ? entries : entries.filter(() => Math.random() < share);
        for (let at = 0; at < chosen.length; at += TASKS_AT_ONCE) yield [name, chosen.slice(at, at + TASKS_AT_ONCE)];
      }
    }
  }

  async #count(ranges: readonly Range[]): Promise<number> {
    const { redis } = this.#dependencies;
    const counts = await Promise.all(
      ranges.map((range) => redis.zlexcount(range.index, `[${range.letter}`, endOf(range))),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }

  async #ranges(): Promise<Range[]> {
    const { redis, shards, registry } = this.#dependencies;
    const agents = [...(await registry.ids()), REMOTE_AGENTS];
    const rangesOf = async (keys: ShardKeys): Promise<Range[]> => {
      const before = (await readCursor(redis, keys)) ?? '';
      return agents.flatMap((agent) =>
        Array.from(ENDED_LETTERS, (letter) => {
          const index = keys.agentIndex(agent);
          return { name: `${index} ${letter}`, index, letter, before };
        }),
      );
    };
    const ranges = (await Promise.all(shards.all.map(rangesOf))).flat();
    return ranges.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async *#entries(range: Range, after: string): AsyncGenerator<string[], void> {
    const { redis } = this.#dependencies;
    for (let from = after === '' ? `[${range.letter}` : `(${after}`; ; ) {
      const entries = await redis.zrangebylex(range.index, from, endOf(range), 'LIMIT', 0, ENTRIES_AT_ONCE);
      yield entries;
      if (entries.length < ENTRIES_AT_ONCE) return;
      from = `(${entries.at(-1)}`;
    }
  }

  async #look(taskIds: readonly string[], isRepair: boolean): Promise<readonly ProblemOfTask[]> {
    const suspected = await this.#compare(taskIds);
    if (suspected.size === 0) return [];
    await delay(SECOND_LOOK_MS);
    const problems = await this.#compare([...suspected.keys()]);
    if (!isRepair) return Array.from(problems, ([taskId, problem]) => ({ taskId, problem }));
    await this.#repair(problems);
    const left = await this.#compare([...problems.keys()]);
    return Array.from(problems, ([taskId, problem]) => ({ taskId, problem, isRepaired: !left.has(taskId) }));
  }

  async #repair(problems: ReadonlyMap<string, ArchiveProblem>): Promise<void> {
    const { tasks } = this.#dependencies;
    const idsWith = (...some: ArchiveProblem[]): string[] =>
      [...problems].filter(([, problem]) => some.includes(problem)).map(([taskId]) => taskId);
    for (const taskId of idsWith('deleted')) await tasks.delete(taskId);
    await this.#copy(idsWith('missing', 'different'));
    // PostgreSQL may not be able to replace what it cannot read.
    for (const taskId of idsWith('unreadable')) await this.#copy([taskId]).catch(unlessRefused);
  }

  async #copy(taskIds: readonly string[]): Promise<void> {
    const [{ signal }, damaged]: [AbortController, DamagedTask[]] = [new AbortController(), []];
    await this.#archiver.copy(taskIds, { signal, goOn: async () => undefined, damaged });
  }

  /** The problems of these tasks. Tasks that Redis no longer has are none. */
  async #compare(taskIds: readonly string[]): Promise<Map<string, ArchiveProblem>> {
    const prepared = await Promise.all(prepareContents(this.#dependencies, taskIds).map(unlessDamaged));
    const problems = new Map<string, ArchiveProblem>();
    const there: PreparedContents[] = [];
    for (const [i, taskId] of taskIds.entries()) {
      const one = prepared[i];
      if (one === 'damaged') problems.set(taskId, one);
      else if (one) there.push(one);
    }
    const copies = await this.#dependencies.archive.inspect(there.map(({ taskId }) => taskId));
    const isLarge = ({ bytes }: PreparedContents): boolean => bytes > BATCH_BYTES;
    const compare = async (contents: PreparedContents): Promise<void> => {
      const problem = await problemOf(contents, copies.get(contents.taskId));
      if (problem) problems.set(contents.taskId, problem);
    };
    await Promise.all(there.filter((one) => !isLarge(one)).map(compare));
    // Large tasks are in memory one after the other.
    for (const one of there.filter(isLarge)) await compare(one);
    return problems;
  }
}

const endOf = ({ letter, before }: Range): string => `(${letter}${before}`;

async function problemOf(
  contents: PreparedContents,
  copy: Inspection | undefined,
): Promise<ArchiveProblem | undefined> {
  if (copy === 'deleted' || copy === 'unreadable') return copy;
  const task = await unlessDamaged(contents.read());
  if (task === 'damaged') return task;
  if (!task) return undefined;
  if (!copy) return 'missing';
  return copy.fingerprint === fingerprintOf(task) ? undefined : 'different';
}

/** If the archive is away, that is seen when the task is compared again. */
function unlessRefused(error: unknown): void {
  if (!(error instanceof ArchiveUnavailable)) throw error;
}

async function unlessDamaged<T>(reading: Promise<T>): Promise<T | 'damaged'> {
  try {
    return await reading;
  } catch (error) {
    if (isOutage(error)) throw error;
    return 'damaged';
  }
}
