import { readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing, isTaken, writeWhole } from './durable.ts';
import { sizeOf } from './file-id.ts';
import { explained, FileRefused } from './file-refused.ts';

/** Names in the folder of a principal: `<id>` is a file, with these prefixes it is one in the making, or in the bin. */
export const draftPrefix = '.new-';
export const gonePrefix = '.gone-';

/** The name of a principal's folder. Others are not ours. */
export const ofPrincipal = /^[\da-f]{32}$/;

/** What the last sweep of the whole place has counted. */
export const countedName = '.counted';

/** Names in the folder of a file. */
export const factsName = 'facts.json';
export const contentName = 'content';
/** What follows the whole chunks of an upload, with their number. */
export const tailPrefix = 'tail-';
const taskPrefix = 'task-';
/** File systems allow 255 bytes. */
const longestName = 200;

/** Who keeps a file: a task. */
export interface Keeper {
  readonly taskId: string;
  /**
   * A random name of the request that has a message for the task, which exists: if the message is refused, the file is
   * released for this request alone. Another one may have kept it for the same task meanwhile. At most 32 letters and
   * digits.
   */
  readonly request?: string | undefined;
}

/** Not in an encoded id. */
const requestSeparator = ',';

/** The mark of who keeps a file; undefined: the id is longer than that of any task. */
export function markOf({ taskId, request }: Keeper): string | undefined {
  const name = taskPrefix + encodeURIComponent(taskId);
  if (name.length > longestName) return undefined;
  return request === undefined ? name : `${name}${requestSeparator}${request}`;
}

export function isMark(name: string): boolean {
  return name.startsWith(taskPrefix);
}

export function taskIdOf(mark: string): string {
  const [id = ''] = mark.slice(taskPrefix.length).split(requestSeparator);
  return decodeURIComponent(id);
}

/** Bytes that a name in the folder of a principal stands for. */
export function bytesIn(name: string): number {
  return sizeOf(name.replace(/^\.(?:new|gone)-/, '')) ?? 0;
}

export interface SweepOptions {
  /** Id of the deployment whose tasks are asked for: its Redis, as long as that has its data. */
  readonly deployment: string;
  /** Its number. Others that share the place have other numbers. */
  readonly number: number;
  /** Which of these tasks exist, or are of another deployment. */
  readonly existing: (taskIds: readonly string[]) => Promise<ReadonlySet<string>>;
  /** How long a file is kept that no message has referred to, and an upload that gets no byte. */
  readonly unusedMs: number;
  /** How long a mark counts before its task exists: a message may be on its way. */
  readonly markMs: number;
  /** Aborted when the sweep shall end early. */
  readonly signal?: AbortSignal;
}

/** What a sweep has found. */
export interface SweepResult {
  /** Files and uploads. */
  readonly removed: number;
  readonly bytes: number;
  /** What stays, with the uploads. */
  readonly kept: { readonly count: number; readonly bytes: number };
}

/** What a sweep of the whole place has counted. */
export interface CountedFiles {
  /** Files and uploads. */
  readonly count: number;
  /** With those that uploads will have. */
  readonly bytes: number;
  /** ISO time. */
  readonly at: string;
}

/** @param text as it is stored. @throws {SyntaxError} two sweeps wrote it at the same time */
export function countedIn(text: string): CountedFiles {
  return JSON.parse(text);
}

/** Counts what a sweep finds. */
export class Swept {
  #removed = 0;
  #bytes = 0;
  #kept = { count: 0, bytes: 0 };

  /** @param at ISO time */
  countedAt(at: string): CountedFiles {
    return { ...this.#kept, at };
  }

  get result(): SweepResult {
    return { removed: this.#removed, bytes: this.#bytes, kept: this.#kept };
  }

  /** @param name with the size: see `bytesIn` */
  add(name: string, isRemoved: boolean): void {
    const bytes = bytesIn(name);
    if (!isRemoved) this.#kept = { count: this.#kept.count + 1, bytes: this.#kept.bytes + bytes };
    else {
      this.#removed += 1;
      this.#bytes += bytes;
    }
  }
}

/** The name of a file in the folder, with the id of the deployment of this number that the folder belongs to. */
export function deploymentName({ number }: Pick<SweepOptions, 'number'>): string {
  return number === 0 ? '.deployment' : `.deployment-${number}`;
}

/**
 * Another Redis, or an empty one, knows none of the tasks: all files would be removed.
 * @throws {Error} the folder belongs to another deployment
 */
async function requireDeployment(folder: string, options: SweepOptions): Promise<void> {
  const { deployment } = options;
  const path = join(folder, deploymentName(options));
  try {
    if ((await readFile(path, 'utf8')) === deployment) return;
  } catch (error) {
    if (!isMissing(error)) throw error;
    // The first sweep of the folder. Another process may be faster.
    return writeWhole(path, deployment).catch((thrown: unknown) =>
      isMissing(thrown) ? undefined : Promise.reject(thrown),
    );
  }
  throw anotherDeployment(folder, path);
}

/** @param remedy what an operator removes */
export function anotherDeployment(place: string, remedy: string): Error {
  return new Error(
    `No file in ${place} is removed: they belong to another deployment, or Redis has lost its data. ` +
      `If files without a task may go, remove ${remedy}`,
  );
}

/**
 * Removes what nobody needs any more. Several processes may do it at the same time.
 * @throws {Error} the folder belongs to another deployment
 */
export async function sweepFolder(folder: string, options: SweepOptions): Promise<SweepResult> {
  await requireDeployment(folder, options);
  const swept = new Swept();
  for (const owner of await readdir(folder)) {
    if (!ofPrincipal.test(owner)) continue;
    const path = join(folder, owner);
    for (const name of await namesIn(path)) {
      if (options.signal?.aborted) return swept.result;
      const isGone = name.startsWith(draftPrefix)
        ? await sweepUpload(join(path, name), options)
        : await sweepFile(path, name, options);
      if (sizeOf(name.replace(draftPrefix, '')) !== undefined) swept.add(name, isGone);
    }
    // It has other files, or another process was faster.
    await rmdir(path).catch(() => undefined);
  }
  await writeCounted(join(folder, countedName), JSON.stringify(swept.countedAt(new Date().toISOString())));
  return swept.result;
}

/** Another process may be faster; a full volume, which a sweep makes room on, does not end it. */
async function writeCounted(path: string, text: string): Promise<void> {
  await writeWhole(path, text).catch((error: unknown) => {
    if (!isMissing(error) && !(explained(error) instanceof FileRefused)) throw error;
  });
}

async function sweepUpload(path: string, { unusedMs }: SweepOptions): Promise<boolean> {
  const contents = (await namesIn(path)).filter((name) => name === contentName || name.startsWith(tailPrefix));
  // A crash may have come before the first byte.
  for (const name of contents.length > 0 ? contents : ['.'])
    if (await isYounger(join(path, name), unusedMs)) return false;
  await rm(path, { recursive: true, force: true });
  return true;
}

async function sweepFile(ownerPath: string, name: string, options: SweepOptions): Promise<boolean> {
  const isInBin = name.startsWith(gonePrefix);
  const id = isInBin ? name.slice(gonePrefix.length) : name;
  if (sizeOf(id) === undefined) return false;
  const path = join(ownerPath, id);
  const bin = join(ownerPath, gonePrefix + id);
  if (isInBin) {
    // The process that has moved it there crashed, or removes it now.
    if (await isNeeded(bin, await namesIn(bin), options)) await moveBack(bin, path);
    else await rm(bin, { recursive: true, force: true });
    return false;
  }
  const before = await namesIn(path);
  if (await isNeeded(path, before, options)) return false;
  // From here on no task can be added: its message would not find the file.
  if (!(await move(path, bin))) return false;
  if ((await namesIn(bin)).some((each) => !before.includes(each))) {
    await moveBack(bin, path);
    return false;
  }
  await rm(bin, { recursive: true, force: true });
  return true;
}

/** Whether a task needs the file, or may need it soon. Forgets tasks that are gone, if others are left. */
async function isNeeded(path: string, names: readonly string[], options: SweepOptions): Promise<boolean> {
  const { existing, unusedMs, markMs } = options;
  const marks = names.filter(isMark);
  if (marks.length === 0) return isYounger(join(path, contentName), unusedMs);
  const found = await existing(marks.map(taskIdOf));
  const gone: string[] = [];
  for (const mark of marks)
    if (!found.has(taskIdOf(mark)) && !(await isYounger(join(path, mark), markMs))) gone.push(mark);
  if (gone.length === marks.length) return false;
  await Promise.all(gone.map((mark) => rm(join(path, mark), { force: true })));
  return true;
}

async function isYounger(path: string, ageMs: number): Promise<boolean> {
  const changedMs = await changedAt(path);
  return changedMs !== undefined && Date.now() - changedMs < ageMs;
}

/** @returns false: another process was faster */
async function move(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (isMissing(error) || isTaken(error)) return false;
    throw error;
  }
}

/** If the same content was written again meanwhile, that gets the marks of the one in the bin. */
async function moveBack(bin: string, path: string): Promise<void> {
  if (await move(bin, path)) return;
  for (const mark of (await namesIn(bin)).filter(isMark)) await writeWhole(join(path, mark), '');
  await rm(bin, { recursive: true, force: true });
}

async function namesIn(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    // Another process has removed it, or it is a file that is not ours.
    if (isMissing(error) || (error instanceof Error && 'code' in error && error.code === 'ENOTDIR')) return [];
    throw error;
  }
}

async function changedAt(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
