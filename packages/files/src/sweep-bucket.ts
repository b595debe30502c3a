import { randomBytes } from 'node:crypto';
import type { Bucket } from './bucket.ts';
import { type FileKeys, goneName, keysIn, nameOf, ownerKeys, uploadName } from './file-keys.ts';
import { discardUpload, removeUpload } from './s3-upload.ts';
import {
  anotherDeployment,
  countedName,
  deploymentName,
  factsName,
  isMark,
  ofPrincipal,
  type SweepOptions,
  type SweepResult,
  Swept,
  taskIdOf,
} from './sweep.ts';

/** One pass over the bucket. */
interface BucketSweep extends SweepOptions {
  readonly bucket: Bucket;
  /** The time of the server, which stamps objects. */
  readonly nowMs: number;
  /** Of a principal. */
  readonly place: ReturnType<typeof ownerKeys>;
}

/** Names of a file's objects, and when each was written. */
type Names = ReadonlyMap<string, number>;

/**
 * Removes what nobody needs any more, as `sweepFolder` does. It lists the whole bucket: a request per 1,000 objects.
 * @throws {Error} the bucket belongs to another deployment
 */
export async function sweepBucket(bucket: Bucket, options: SweepOptions): Promise<SweepResult> {
  await requireDeployment(bucket, options);
  const clock = `${bucket.prefix}.sweep`;
  await bucket.put(clock, '');
  const nowMs = (await bucket.modifiedMs(clock)) ?? 0;
  const swept = new Swept();
  for await (const owner of bucket.folders(bucket.prefix)) {
    if (!ofPrincipal.test(owner)) continue;
    const sweep = { ...options, bucket, nowMs, place: ownerKeys(bucket.prefix, owner) };
    await sweepOwner(sweep, swept);
    if (options.signal?.aborted) return swept.result;
  }
  const counted = swept.countedAt(new Date(nowMs).toISOString());
  await bucket.put(bucket.prefix + countedName, JSON.stringify(counted));
  return swept.result;
}

async function sweepOwner(sweep: BucketSweep, swept: Swept): Promise<void> {
  const { bucket, place, unusedMs, signal } = sweep;
  const known = new Set<string>();
  for await (const { id, names } of filesIn(bucket, place.files)) {
    if (signal?.aborted) return;
    known.add(nameOf(id));
    swept.add(id, await sweepFile(sweep, id, names));
  }
  // A crash came between the content and the facts, or before the last object of a file was removed.
  for await (const { key, modifiedMs } of bucket.list(place.contents)) {
    const name = key.slice(place.contents.length);
    // The same content may have been written again since the list.
    if (!known.has(name) && isOld(modifiedMs, unusedMs, sweep) && (await isUnknown(bucket, `${place.files}${name}-`)))
      await bucket.remove(key);
  }
}

async function requireDeployment(bucket: Bucket, options: SweepOptions): Promise<void> {
  const { deployment } = options;
  const key = bucket.prefix + deploymentName(options);
  // Of the first sweep. Another process may be faster.
  if (!(await bucket.text(key))) await bucket.put(key, deployment, 'new');
  const found = await bucket.text(key);
  if (found?.text !== deployment) throw anotherDeployment('the bucket', `the object ${key}`);
}

async function* filesIn(
  bucket: Bucket,
  folder: string,
): AsyncGenerator<{ readonly id: string; readonly names: Names }> {
  let id: string | undefined;
  let names = new Map<string, number>();
  for await (const { key, modifiedMs } of bucket.list(folder)) {
    const [next = '', name = ''] = key.slice(folder.length).split('/');
    if (id !== undefined && next !== id) {
      yield { id, names };
      names = new Map();
    }
    id = next;
    names.set(name, modifiedMs);
  }
  if (id !== undefined) yield { id, names };
}

/** @returns whether a file, or an upload, is removed */
async function sweepFile(sweep: BucketSweep, id: string, names: Names): Promise<boolean> {
  const { bucket, place, unusedMs, markMs } = sweep;
  const uploadMs = names.get(uploadName);
  if (!names.has(factsName) && !names.has(goneName)) {
    const changes = uploadMs === undefined ? [...names.values()] : [uploadMs];
    return changes.every((changedMs) => isOld(changedMs, unusedMs, sweep)) && removeUnfinished(sweep, id);
  }
  const keys = keysIn(place, id);
  // The process crashed when the file was complete.
  if (isOld(uploadMs, unusedMs, sweep)) await removeUpload(bucket, keys);
  // Another process removes it, unless it crashed.
  if (names.has(goneName) && !isOld(names.get(goneName), markMs, sweep)) return false;
  if (!(await isNeeded(sweep, id, names))) return removeFile(sweep, id, names);
  if (names.has(goneName)) await restoreFile(bucket, keys);
  return false;
}

/** Also what a process was removing when it crashed. */
async function removeUnfinished({ bucket, place }: BucketSweep, id: string): Promise<boolean> {
  const keys = keysIn(place, id);
  const isUpload = (await bucket.modifiedMs(keys.upload)) !== undefined;
  // With its size it may have become a file under another id.
  if (isUpload && !(await hasFacts(bucket, `${place.files}${nameOf(id)}-`))) await discardUpload(bucket, keys);
  for await (const { key } of bucket.list(keys.folder)) await bucket.remove(key);
  return isUpload;
}

async function isUnknown(bucket: Bucket, prefix: string): Promise<boolean> {
  for await (const _ of bucket.list(prefix)) return false;
  return true;
}

async function hasFacts(bucket: Bucket, prefix: string): Promise<boolean> {
  for await (const { key } of bucket.list(prefix))
    if (key.endsWith(`/${factsName}`) || key.endsWith(`/${goneName}`)) return true;
  return false;
}

async function removeFile({ bucket, place }: BucketSweep, id: string, before: Names): Promise<boolean> {
  const keys = keysIn(place, id);
  const found = (await bucket.text(keys.facts)) ?? (await bucket.text(keys.gone));
  // Its owner has deleted it.
  if (!found) return false;
  const { sweep: _, ...facts } = JSON.parse(found.text);
  const gone = before.has(goneName) ? await bucket.text(keys.gone) : undefined;
  // Only one sweep goes on: the random bytes tell it from others.
  const text = JSON.stringify({ ...facts, sweep: randomBytes(8).toString('hex') });
  if ((await bucket.put(keys.gone, text, gone ? { etag: gone.etag } : 'new')) === undefined) return false;
  await bucket.remove(keys.facts);
  // From here on no task can be added: its message would not find the file.
  const left: string[] = [];
  for await (const { key } of bucket.list(keys.folder)) left.push(key.slice(keys.folder.length));
  if (left.some((name) => isMark(name) && !before.has(name))) {
    await restoreFile(bucket, keys);
    return false;
  }
  await bucket.remove(keys.content);
  for (const name of left.filter((each) => each !== goneName)) await bucket.remove(keys.folder + name);
  await bucket.remove(keys.gone);
  return true;
}

/** Undoes the beginning of `removeFile`, or finishes it, if the content is gone. */
async function restoreFile(bucket: Bucket, keys: FileKeys): Promise<void> {
  const gone = await bucket.text(keys.gone);
  if (!gone) return;
  if ((await bucket.modifiedMs(keys.content)) === undefined) {
    for await (const { key } of bucket.list(keys.folder)) await bucket.remove(key);
    return;
  }
  const { sweep: _, ...facts } = JSON.parse(gone.text);
  await bucket.put(keys.facts, JSON.stringify(facts));
  await bucket.remove(keys.gone);
}

/** Whether a task needs the file, or may need it soon. Forgets tasks that are gone, if others are left. */
async function isNeeded(sweep: BucketSweep, id: string, names: Names): Promise<boolean> {
  const marks = [...names.keys()].filter(isMark);
  // A file that is being removed had none.
  if (marks.length === 0) return !names.has(goneName) && !isOld(names.get(factsName), sweep.unusedMs, sweep);
  const found = await sweep.existing(marks.map(taskIdOf));
  const gone = marks.filter((mark) => !found.has(taskIdOf(mark)) && isOld(names.get(mark), sweep.markMs, sweep));
  if (gone.length === marks.length) return false;
  const { folder } = keysIn(sweep.place, id);
  for (const mark of gone) await sweep.bucket.remove(folder + mark);
  return true;
}

/** @param changedMs unset: there is no such object */
function isOld(changedMs: number | undefined, ageMs: number, { nowMs }: BucketSweep): boolean {
  return changedMs !== undefined && nowMs - changedMs >= ageMs;
}
