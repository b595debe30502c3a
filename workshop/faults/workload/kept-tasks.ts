import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Task } from '@switchyard/protocol';
import type { SeededRandom } from '../../statistics.ts';
import type { Outages } from '../inject/outages.ts';
import { digestOf } from './file-transfers.ts';
import { Deadline } from './lateness.ts';
import { type Gateways, gatewaysOf, ResilientClient } from './resilient-client.ts';
import type { Violation } from './violations.ts';

/** An ended task, as the client saw it. */
export interface KeptTask {
  readonly task: Task;
  /** Unset: the one at the root. */
  readonly agent: string | undefined;
  /** Of all files that it refers to; unset: it has none. */
  readonly sha256?: string | undefined;
}

/** An answer to `GetTask`. */
export interface ReadAnswer {
  readonly status: number;
  readonly text: string;
  /** Whether a fault explains that a store did not answer. */
  readonly isExplained: boolean;
}

const READERS = 3;
/** Longer than any fault lasts. */
const GIVE_UP_AFTER_MS = 60_000;
const PAUSE_MS = 50;
const SHARE_OF_DELETED = 0.15;
/** Some are copied by then, and others are not. */
const DELETED_WITHIN_MS = 20_000;
const LIST_PAUSE_MS = 2_000;
const PAGE_SIZE = 100;

/**
 * From its end on a task can be read, is listed once, and has its files: while Redis has it, and afterwards, until it is
 * deleted.
 */
export class KeptTasks {
  readonly violations: Violation[] = [];
  readonly #gateways: Gateways;
  readonly #outages: Outages;
  /** By agent. */
  readonly #clients = new Map<string | undefined, ResilientClient>();
  readonly #kept: KeptTask[] = [];
  /** Tasks whose deletion has begun, and those whose deletion was confirmed. */
  readonly #leaving = new Set<string>();
  readonly #deleted: KeptTask[] = [];
  readonly #deletions: Promise<void>[] = [];
  #running: Promise<unknown> = Promise.resolve();
  #isOver = false;
  /** Answers of 200 to reads, complete lists, and downloads. */
  readonly done = { reads: 0, lists: 0, downloads: 0 };

  constructor(gateways: Gateways, outages: Outages) {
    this.#gateways = gateways;
    this.#outages = outages;
  }

  add(kept: KeptTask): void {
    this.#kept.push(kept);
  }

  /** Deletes some of these later: they may be copied at the same moment. From then on nobody reads or lists them. */
  deleteSome(taskIds: readonly string[], random: SeededRandom): void {
    for (const id of taskIds) {
      if (random.next() > SHARE_OF_DELETED) continue;
      const kept = this.#kept.find(({ task }) => task.id === id);
      const deletion = async (): Promise<Violation[]> => {
        await delay(random.between(0, DELETED_WITHIN_MS));
        this.#leaving.add(id);
        await this.#clientOf(kept?.agent).delete(id);
        if (kept) this.#deleted.push(kept);
        return [];
      };
      this.#deletions.push(this.#noting('deleted', id, deletion));
    }
  }

  /** Reads tasks and files, and lists them, over and over. */
  start(): void {
    const reading = Array.from({ length: READERS }, (_, n) => this.#readOn(n));
    this.#running = Promise.all([...reading, this.#listOn()]);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all([this.#running, ...this.#deletions]);
  }

  /** Checks each task once, and the lists. */
  async checkAll(): Promise<void> {
    await forEach(this.#kept, (kept) => this.#check(kept));
    await forEach(this.#deleted, (kept) => this.#checkDeleted(kept));
    await this.#checkLists();
  }

  /** Deletes what is listed: also tasks that agents have sent. */
  async deleteAll(): Promise<void> {
    for (const client of this.#clients.values())
      await forEach(await client.listAll(PAGE_SIZE), (id) => client.delete(id));
  }

  /** Which of these tasks can be read. */
  async existing(taskIds: readonly string[]): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for (const client of this.#clients.values())
      await forEach(taskIds, async (id) => {
        if ((await client.readOnce(id)).status !== 404) found.add(id);
      });
    return found;
  }

  #clientOf(agent: string | undefined): ResilientClient {
    const known = this.#clients.get(agent);
    if (known) return known;
    const client = new ResilientClient(agent === undefined ? this.#gateways : gatewaysOf(this.#gateways, agent), 0);
    this.#clients.set(agent, client);
    return client;
  }

  async #readOn(first: number): Promise<void> {
    for (let n = first; !this.#isOver; n += READERS) {
      const kept = this.#kept[n % Math.max(1, this.#kept.length)];
      if (kept) await this.#check(kept);
      const deleted = this.#deleted[n % Math.max(1, this.#deleted.length)];
      if (deleted) await this.#checkDeleted(deleted);
      await delay(PAUSE_MS);
    }
  }

  async #listOn(): Promise<void> {
    while (!this.#isOver) {
      await this.#checkLists();
      await delay(LIST_PAUSE_MS);
    }
  }

  async #check({ task, agent, sha256 }: KeptTask): Promise<void> {
    if (this.#leaving.has(task.id)) return;
    const client = this.#clientOf(agent);
    await this.#noting('unreadable', task.id, async () => {
      const wrong = wrongReading(task, await this.#read(client, task.id));
      if (wrong.length === 0) this.done.reads++;
      return this.#leaving.has(task.id) ? [] : wrong;
    });
    if (sha256 === undefined) return;
    for (const url of filesOf(task))
      await this.#noting('files', task.id, async () => {
        const wrong = wrongDigest(task.id, { url, sha256, found: await digestOf(client, url) });
        if (wrong.length === 0) this.done.downloads++;
        return wrong;
      });
  }

  async #checkDeleted({ task: { id }, agent }: KeptTask): Promise<void> {
    await this.#noting('deleted', id, async () => wrongDeletion(id, await this.#read(this.#clientOf(agent), id)));
  }

  /** The last answer, after those that a fault explains. */
  async #read(client: ResilientClient, taskId: string): Promise<ReadAnswer> {
    const deadline = new Deadline(`a read of ${taskId}`, GIVE_UP_AFTER_MS);
    for (;;) {
      const fromMs = performance.now();
      const { status, text } = await client.readOnce(taskId);
      const time = { fromMs, untilMs: performance.now() };
      const isExplained = this.#outages.explain(['tasks', 'archive'], time);
      const isAnswer = typeof status === 'number' && (status !== 503 || (isRefusal({ status, text }) && !isExplained));
      if (isAnswer) {
        deadline.came();
        return { status, text, isExplained };
      }
      if (deadline.isOver) throw new Error(`it was not read in time; last: ${status} ${text}`);
      await delay(100);
    }
  }

  async #checkLists(): Promise<void> {
    for (const [agent, kept] of Map.groupBy([...this.#kept], (each) => each.agent))
      await this.#noting('unreadable', `the list of ${agent ?? 'the first agent'}`, async () => {
        const deleted = this.#deleted.map(({ task }) => task.id);
        const listed = await this.#clientOf(agent).listAll(PAGE_SIZE);
        const ids = kept.map(({ task }) => task.id).filter((id) => !this.#leaving.has(id));
        this.done.lists++;
        return [...wrongList(ids, listed), ...listedThoughDeleted(deleted, listed)];
      });
  }

  async #noting(kind: Violation['kind'], what: string, check: () => Promise<Violation[]>): Promise<void> {
    try {
      this.violations.push(...(await check()));
    } catch (error) {
      this.violations.push({ kind, what: `${what}: ${error}` });
    }
  }
}

/** Some at a time. */
async function forEach<Item>(items: readonly Item[], run: (item: Item) => Promise<void>): Promise<void> {
  const left = items.values();
  const runner = async (): Promise<void> => {
    for (const item of left) await run(item);
  };
  await Promise.all(Array.from({ length: READERS }, runner));
}

const filesOf = ({ history = [], artifacts = [] }: Task): string[] =>
  [...history, ...artifacts].flatMap(({ parts }) => parts.flatMap(({ url }) => url ?? []));

/** Redis or the archive did not answer. */
const isRefusal = ({ status, text }: Pick<ReadAnswer, 'status' | 'text'>): boolean =>
  status === 503 && /The (?:task store|archive of ended tasks) is unavailable/.test(text);

/** The task as the client saw it when it ended, or 503 while a store is away. */
export function wrongReading(task: Task, { status, text, isExplained }: ReadAnswer): Violation[] {
  if (status === 200 && isDeepStrictEqual(JSON.parse(text), task)) return [];
  if (isRefusal({ status, text }) && isExplained) return [];
  const what = status === 200 ? `is ${text}, and was ${JSON.stringify(task)}` : `was answered ${status}: ${text}`;
  return [{ kind: 'unreadable', what: `${task.id} ${what}` }];
}

/** @param ids that ended before the first page was read */
export function wrongList(ids: readonly string[], listed: readonly string[]): Violation[] {
  const times = Map.groupBy(listed, (id) => id);
  return ids.flatMap((id): Violation[] => {
    const count = times.get(id)?.length ?? 0;
    return count === 1 ? [] : [{ kind: 'unreadable', what: `${id} is listed ${count} times` }];
  });
}

/** A task that was deleted is gone: also if an older copy was on its way to the archive. */
export function wrongDeletion(taskId: string, { status, text }: ReadAnswer): Violation[] {
  return status === 404 ? [] : [{ kind: 'deleted', what: `${taskId} was answered ${status}: ${text}` }];
}

/** @param deleted before the first page was read */
export function listedThoughDeleted(deleted: readonly string[], listed: readonly string[]): Violation[] {
  const ids = new Set(listed);
  return deleted.filter((id) => ids.has(id)).map((id) => ({ kind: 'deleted', what: `${id} is listed` }));
}

export function wrongDigest(
  taskId: string,
  { url, sha256, found }: { readonly url: string; readonly sha256: string; readonly found: string },
): Violation[] {
  return found === sha256 ? [] : [{ kind: 'files', what: `${taskId}: ${url} has the SHA-256 ${found}, not ${sha256}` }];
}

/** Objects of the deployment itself. */
const LASTING = /(?:^|\/)\.(?:deployment|sweep|counted)$/;

/** Objects that are left in the bucket when all tasks are gone. */
export function leftFiles(objects: readonly string[]): Violation[] {
  return objects.filter((name) => !LASTING.test(name)).map((what) => ({ kind: 'leftFiles', what }));
}
