import { createHash } from 'node:crypto';
import { Outage } from '@switchyard/redis';

/** The archive does not answer, or refuses. Nothing is lost: tasks stay in Redis, and copying goes on later. */
export class ArchiveUnavailable extends Outage {
  override readonly name: string = 'ArchiveUnavailable';
}

/** The archive has given up a request that took too long. */
export class ArchiveTooSlow extends ArchiveUnavailable {
  override readonly name = 'ArchiveTooSlow';
}

/** As many searches for words run as the archive makes at a time, and this one has waited for them too long. */
export class ArchiveBusy extends ArchiveUnavailable {
  override readonly name = 'ArchiveBusy';
}

/** The archive refuses a task because of its data, and will do so again. Other tasks are not concerned. */
export class NotArchivable extends Error {
  override readonly name = 'NotArchivable';
}

/**
 * Ended tasks that are kept outside of Redis. A task is copied there while Redis still has it, and is read there once
 * Redis has forgotten it: see docs/archive.md. All methods reject with `ArchiveUnavailable` while the archive is away.
 */
export interface TaskArchive {
  /**
   * Adds tasks, or replaces older copies, and those with an event that Redis has lost. A task that was deleted stays
   * deleted. @throws {NotArchivable} because of one of them; others may have been added
   */
  put(tasks: readonly ArchivedTask[]): Promise<void>;
  /** A page of sort keys, and how many there are. @throws {ArchiveTooSlow} with `text` @throws {ArchiveBusy} with `text` */
  find(query: ArchiveQuery): Promise<ArchivePage>;
  /** Tasks as clients read them, of any owner: the caller compares the owner. */
  read(taskIds: readonly string[], view: ArchiveView): Promise<ReadonlyMap<string, ArchivedReading>>;
  /** JSON as it was stored. */
  describe(taskIds: readonly string[], what: 'row' | 'detail' | 'origin'): Promise<ReadonlyMap<string, string>>;
  /** What it has of these tasks, to compare it with what Redis has. Reads all of each task. */
  inspect(taskIds: readonly string[]): Promise<ReadonlyMap<string, Inspection>>;
  /** Which of these tasks it has. */
  existing(taskIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Deletes the contents of a task for good: also if it is put later. @returns false: it does not have the task */
  delete(taskId: string): Promise<boolean>;
  /** As `delete`, up to `size` tasks of a tenant, whose name is URI-encoded. @returns how many */
  deleteTenant(tenant: string, size: number): Promise<number>;
  /**
   * Tasks of a tenant (`tenant/`) or a principal (`tenant/subject/`) that ended within these times, in this order.
   * @returns time and id of each
   */
  endedOf(ownerPrefix: string, range: EndedRange): Promise<readonly string[]>;
  /** Forgets tasks that ended before this time, and marks of deletion that are as old. @returns how many tasks */
  expire(before: string, size: number): Promise<number>;
  /** Counts all of its tasks again, for totals that are wrong: until then they stay so. One that runs is joined. */
  recount(): Promise<void>;
  status(): Promise<ArchiveStatus>;
}

/**
 * Of a copy: the fingerprint of what clients read (see fingerprintOf). `deleted`: only the mark of its deletion is
 * left. `unreadable`: its row cannot be read, or not be understood.
 */
export type Inspection = { readonly fingerprint: string } | 'deleted' | 'unreadable';

/** A copy of a task. Times sort as texts: see `sortableTime`. */
export interface ArchivedTask {
  readonly id: string;
  /** `tenant/subject/agent`, each part URI-encoded. */
  readonly owner: string;
  /** Name of the agent's index: its id, URI-encoded, or that of all remote agents. */
  readonly agent: string;
  readonly context: string;
  /** Letter of the state: see state-letters.ts. */
  readonly letter: string;
  /** Time of the status. */
  readonly time: string;
  /** When it ended: its place in the lists of operators. */
  readonly endedAt: string;
  /** `seq-incarnation` of the last event. */
  readonly version: string;
  readonly answered: number;
  readonly json: ArchivedJson;
  /** What operators see of it in a list, as JSON. */
  readonly row: string;
  /** What operators see of it alone, with its timeline, as JSON; '' if that could not be read. */
  readonly detail: string;
  /** Its owner, the parameters of its first request, and the names of messages with an idempotency key: a JSON array. */
  readonly origin: string;
}

/** The JSON of a task in pieces: head, artifacts, history and tail follow one another. */
export interface ArchivedJson {
  /** `{"id":…,"status":{…}` */
  readonly head: string;
  /** `,"artifacts":[…]`; '' if there is none. */
  readonly artifacts: string;
  /** JSON of each message. */
  readonly history: readonly string[];
  /** `,"metadata":{…}}` or `}` */
  readonly tail: string;
}

export interface ArchiveView {
  /** `none`: the readings have no `task`. */
  readonly contents: 'all' | 'none';
  /** As in `TaskView`. */
  readonly historyLength?: number | undefined;
  readonly includeArtifacts?: boolean | undefined;
}

export interface ArchivedReading extends Pick<ArchivedTask, 'owner' | 'context' | 'letter' | 'version' | 'answered'> {
  /** Absent with `contents: 'none'`. */
  readonly task?: readonly Buffer[];
  /** Of the JSON in this view; at most, as all of the history counts unless it is left out. */
  readonly bytes: number;
}

/** Tasks must match all fields that are set. */
export interface ArchiveQuery {
  readonly id?: string | undefined;
  readonly owner?: string | undefined;
  /** Beginning of the owner: a tenant, or a principal. */
  readonly ownerPrefix?: string | undefined;
  readonly agents?: readonly string[] | undefined;
  readonly context?: string | undefined;
  /** Words of messages and artifacts as they were typed: see docs/console.md. */
  readonly text?: string | undefined;
  readonly letters: string;
  /** By which time tasks are sorted, the latest first; then by id. */
  readonly by: 'time' | 'endedAt';
  /** Earliest and latest time, inclusive; '' any. */
  readonly since: string;
  readonly upto: string;
  /** Only tasks before this time: Redis lists the others. */
  readonly before: string;
  /** The last sort key of the page before; '' for the first page. */
  readonly token: string;
  readonly size: number;
}

/** Times as in indexes. */
export interface EndedRange {
  readonly letters: string;
  /** The last sort key of the page before, or ''. */
  readonly after: string;
  /** Earliest and latest, inclusive; '' any. */
  readonly since: string;
  readonly upto: string;
  /** Exclusive. */
  readonly before: string;
  readonly size: number;
}

export interface ArchivePage {
  /** Of all pages. */
  readonly total: number;
  /** With `text`: there are more than `total`, which were not counted. */
  readonly isPartial?: boolean;
  /** Time and id; one more than `size` if there is a next page. */
  readonly sortKeys: readonly string[];
}

export interface ArchiveStatus {
  readonly tasks: number;
  readonly bytes: number;
  /** Of the oldest and the latest end; '' if there is no task. */
  readonly oldest: string;
  readonly latest: string;
}

/** JSON never has this character, nor has an id, an owner or a time. */
const SEPARATOR = '\x1e';

/** Differs if anything differs that clients read of a task. A database can compute the same: SHA-256, in hex. */
export function fingerprintOf(task: Omit<ArchivedTask, 'id' | 'agent' | 'row' | 'detail' | 'origin'>): string {
  const { owner, context, letter, time, endedAt, version, answered, json } = task;
  const hash = createHash('sha256');
  for (const text of [owner, context, letter, time, endedAt, version, String(answered), json.head, json.artifacts])
    hash.update(text).update(SEPARATOR);
  return hash.update(json.history.join(SEPARATOR)).update(SEPARATOR).update(json.tail).digest('hex');
}
