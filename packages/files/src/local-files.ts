import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { type Content, isMissing, isTaken, syncFolder, writeContent, writeWhole } from './durable.ts';
import { CHUNK_BYTES, damaged, type FileCipher, FileEncryption } from './encryption.ts';
import { isRawId, newFileId, sizedId, sizeOf } from './file-id.ts';
import { explained, FileRefused, problemOf } from './file-refused.ts';
import type {
  FileFacts,
  FileLimits,
  FileStore,
  FilesStatus,
  FileUpload,
  NewFile,
  OpenFile,
  RawContent,
  StoredFile,
  Volume,
} from './file-store.ts';
import { plainContent, type Range } from './plain-content.ts';
import {
  contentOf,
  digestOf,
  type KnownName,
  limitOf,
  ownerName,
  rawFileOf,
  requireExpected,
  roomLeft,
  tooLarge,
  tooLong,
} from './rules.ts';
import { type RunningHash, RunningHashes } from './running-hashes.ts';
import {
  bytesIn,
  contentName,
  countedIn,
  countedName,
  draftPrefix,
  factsName,
  gonePrefix,
  type Keeper,
  markOf,
  type SweepOptions,
  type SweepResult,
  sweepFolder,
  tailPrefix,
} from './sweep.ts';
import { WriterClaim, writerName } from './writer-claim.ts';

/** Of a file in clear, what is read at once to send it. */
const READ_BYTES = 128 * 1024;

/** An upload that is not complete. */
interface Draft {
  readonly path: string;
  readonly facts: FileFacts;
  readonly cipher: FileCipher;
  /** Plain bytes in its content. */
  readonly start: number;
  /** Plain bytes that follow. */
  readonly tail: Uint8Array;
}

/** What a request adds to an upload. */
interface PieceOfUpload {
  readonly sizeBytes: number;
  readonly hash: RunningHash | undefined;
  readonly claim: WriterClaim;
}

/**
 * Files in a folder, which gateways and workers share: on one machine, or on a volume that all of them mount. Each file
 * is a folder `<principal>/<id>` with its content and facts; nobody sees it before it is complete, because it is
 * written under another name, flushed, and renamed.
 *
 * A file belongs to a principal: for another one it does not exist. It lives as long as one of the tasks for which it is
 * kept (`keepFor`), each of which is an empty file beside its content. So nothing is counted, and a crash at any point
 * loses no count: `sweep` asks which tasks are left.
 */
export class LocalFiles implements FileStore {
  readonly #folder: string;
  readonly limits: FileLimits;
  readonly #encryption: FileEncryption;
  /** Uploads that a request of this process writes. */
  readonly #writing = new Set<string>();
  /** Of uploads that are not complete. */
  readonly #hashes = new RunningHashes();

  constructor(folder: string, limits: FileLimits, encryption = new FileEncryption()) {
    this.#folder = folder;
    this.limits = limits;
    this.#encryption = encryption;
  }

  /** Rejects if the folder cannot be written. */
  async start(): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    await this.#probe();
  }

  /** Does not make the folder: one that is gone is a problem. */
  async status(): Promise<FilesStatus> {
    const [problem, stored, volume] = await Promise.all([
      problemOf(this.#probe()),
      readFile(join(this.#folder, countedName), 'utf8')
        .then(countedIn)
        .catch(() => undefined),
      this.volume().catch(() => undefined),
    ]);
    return { place: this.#folder, isEncrypted: this.#encryption.isOn, problem, stored, volume };
  }

  async volume(): Promise<Volume> {
    const { blocks, bfree, bavail, bsize } = await statfs(this.#folder);
    const used = (blocks - bfree) * bsize;
    // What is reserved for the administrator can not be written.
    return { used, max: used + bavail * bsize };
  }

  async #probe(): Promise<void> {
    const probe = join(this.#folder, `.probe-${randomBytes(8).toString('hex')}`);
    await mkdir(probe);
    await rm(probe, { recursive: true });
  }

  /**
   * Stores the content as a new file.
   * @param owner the principal, as text
   * @param options `taskId`: the task for which the file is kept from the start
   * @throws {FileRefused} then nothing of it is left; and what the content throws
   */
  async write(owner: string, content: Content, file: NewFile): Promise<StoredFile> {
    return this.#write(owner, content, file, { id: newFileId(file.expected?.sizeBytes ?? 0) });
  }

  async writeRaw(owner: string, raw: RawContent): Promise<string> {
    const { known, file } = rawFileOf(this.#encryption, owner, raw);
    // Another process may write it meanwhile, or a sweep remove it.
    while (!(await this.keepFor(owner, known.id, raw.keeper))) {
      try {
        await this.#write(owner, contentOf(raw.bytes), file, known);
        break;
      } catch (error) {
        if (!isTaken(error)) throw error;
      }
    }
    return known.id;
  }

  async #write(
    owner: string,
    content: Content,
    { facts, expected = {}, keeper }: NewFile,
    { id, sha256 }: KnownName,
  ): Promise<StoredFile> {
    const draft = await this.#createDraft(owner, facts, { id, sizeBytes: expected.sizeBytes });
    try {
      const digest = digestOf(sha256);
      const limit = limitOf(this.limits, await this.#roomOf(owner), expected);
      const onBytes = (end: number): void => {
        if (end > limit.bytes) throw limit.error();
      };
      const options = { cipher: draft.cipher, onBytes, onChunk: digest.add };
      const sizeBytes = await writeContent(join(draft.path, contentName), content, options);
      const file = { ...facts, id: sizedId(draft.id, sizeBytes), sizeBytes, sha256: digest.hex() };
      requireExpected(file, expected);
      const mark = keeper && markOf(keeper);
      if (mark !== undefined) await writeWhole(join(draft.path, mark), '');
      await this.#publish(owner, draft, file);
      // Another file of the principal may have been written meanwhile, and its size was not known before.
      if (expected.sizeBytes === undefined) await this.#requireRoomFor(owner, file.id);
      return file;
    } catch (error) {
      await rm(draft.path, { recursive: true, force: true });
      throw explained(error);
    }
  }

  /** Begins a file that is uploaded in pieces. @returns its id @throws {FileRefused} */
  async begin(owner: string, facts: FileFacts, sizeBytes: number): Promise<string> {
    const draft = await this.#createDraft(owner, facts, { id: newFileId(sizeBytes), sizeBytes });
    try {
      await this.#roomOf(owner);
      await writeWhole(join(draft.path, contentName), '');
      await syncFolder(draft.path);
      await syncFolder(this.#folderOf(owner));
      return draft.id;
    } catch (error) {
      await rm(draft.path, { recursive: true, force: true });
      throw explained(error);
    }
  }

  /** An upload, also one that is complete; undefined: there is none with this id. */
  async upload(owner: string, id: string): Promise<FileUpload | undefined> {
    const sizeBytes = sizeOf(id);
    if (sizeBytes === undefined) return undefined;
    const draft = await this.#draft(owner, id);
    if (draft) {
      const { facts, start, tail } = draft;
      const offset = start + tail.length;
      // The process crashed before it could complete the file.
      if (offset === sizeBytes && !this.#writing.has(draft.path)) await this.#complete(owner, id, draft);
      return { id, sizeBytes, offset, facts };
    }
    const file = await this.find(owner, id);
    return file && { id, sizeBytes, offset: sizeBytes, facts: file };
  }

  /**
   * Adds to an upload; with its last byte it is a file. What has arrived when the content breaks off stays.
   * @returns the bytes that are stored then
   * @throws {FileRefused} `wrong-offset`, `too-long`, `busy`, `store-full`; and what the content throws
   */
  async append(owner: string, id: string, { offset, content }: { offset: number; content: Content }): Promise<number> {
    const path = this.#path(owner, draftPrefix + id);
    if (this.#writing.has(path)) throw new FileRefused('busy', 'Another request writes this upload');
    this.#writing.add(path);
    let claim: WriterClaim | undefined;
    try {
      claim = await WriterClaim.take(path);
      const draft = await this.#draft(owner, id);
      const stored = draft ? draft.start + draft.tail.length : ((await this.find(owner, id))?.sizeBytes ?? 0);
      if (stored !== offset) throw new FileRefused('wrong-offset', `The upload has ${stored} bytes, and not ${offset}`);
      const sizeBytes = sizeOf(id) ?? 0;
      if (!draft || !claim) return stored;
      const hash = this.#hashes.take(path, { start: draft.start, sizeBytes });
      const end = await this.#addTo(draft, content, { sizeBytes, hash, claim });
      await claim.require();
      if (end === sizeBytes) await this.#complete(owner, id, draft, hash);
      else if (hash) this.#hashes.keep(path, hash);
      return end;
    } catch (error) {
      throw explained(error);
    } finally {
      await claim?.release();
      this.#writing.delete(path);
    }
  }

  /** A file of the principal; undefined: there is none with this id. */
  async find(owner: string, id: string): Promise<StoredFile | undefined> {
    return (await this.#find(owner, id))?.file;
  }

  /** Opens a file: it can be read to its end, also if it is removed meanwhile. */
  async open(owner: string, id: string): Promise<OpenFile | undefined> {
    const found = await this.#find(owner, id);
    if (!found) return undefined;
    const { file, cipher } = found;
    const { sizeBytes } = file;
    try {
      const handle = await open(join(this.#path(owner, id), contentName), 'r');
      return {
        file,
        chunks: (range = { start: 0, end: sizeBytes - 1 }) => chunksOf(handle, { cipher, sizeBytes, range }),
        close: () => handle.close(),
      };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** Keeps a file as long as the task exists. @returns false: the principal has no such file */
  async keepFor(owner: string, id: string, keeper: Keeper): Promise<boolean> {
    const name = markOf(keeper);
    // No task has so long an id.
    if (name === undefined) return (await this.find(owner, id)) !== undefined;
    if (sizeOf(id) === undefined) return false;
    const folder = this.#path(owner, id);
    try {
      const mark = await open(join(folder, name), 'a');
      const now = new Date();
      await mark.utimes(now, now).finally(() => mark.close());
      await syncFolder(folder);
      // A sweep may have moved the folder in between, with the mark.
      await stat(join(folder, name));
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw explained(error);
    }
  }

  /** Undoes `keepFor`, for a task that was not made. */
  async release(owner: string, id: string, keeper: Keeper): Promise<void> {
    const name = markOf(keeper);
    if (name !== undefined && sizeOf(id) !== undefined) await rm(this.#path(owner, join(id, name)), { force: true });
  }

  /** Removes a file or an upload, whatever refers to it. @returns false: there is none */
  async delete(owner: string, id: string): Promise<boolean> {
    if (sizeOf(id) === undefined) return false;
    for (const name of [id, draftPrefix + id]) {
      const gone = this.#path(owner, gonePrefix + id);
      // A file with the same content, which a sweep has not removed to its end.
      await rm(gone, { recursive: true, force: true });
      try {
        await rename(this.#path(owner, name), gone);
      } catch (error) {
        if (isMissing(error)) continue;
        throw error;
      }
      await rm(gone, { recursive: true, force: true });
      return true;
    }
    return false;
  }

  /** Removes files whose tasks are gone, and uploads that nobody has completed. @throws as `sweepFolder` */
  sweep(options: SweepOptions): Promise<SweepResult> {
    return sweepFolder(this.#folder, options);
  }

  /** @param given `id`: of the file, if its size is known by now */
  async #createDraft(owner: string, facts: FileFacts, given: { id: string; sizeBytes: number | undefined }) {
    const { id, sizeBytes } = given;
    const { maxFileBytes } = this.limits;
    if (sizeBytes !== undefined && sizeBytes > maxFileBytes) throw tooLarge(maxFileBytes);
    // Several requests may write the same content at the same time.
    const name = isRawId(id) ? newFileId(sizeBytes ?? 0) : id;
    const path = this.#path(owner, draftPrefix + name);
    const cipher = this.#encryption.forNew(ownerName(owner), id);
    try {
      await mkdir(path, { recursive: true });
      await writeWhole(join(path, factsName), JSON.stringify(cipher.encryptFacts(id, facts)));
      return { id, path, cipher };
    } catch (error) {
      await rm(path, { recursive: true, force: true });
      throw explained(error);
    }
  }

  async #find(owner: string, id: string): Promise<{ file: StoredFile; cipher: FileCipher } | undefined> {
    const sizeBytes = sizeOf(id);
    if (sizeBytes === undefined) return undefined;
    const found = await this.#facts<FileFacts & { sha256: string }>(owner, id, this.#path(owner, id));
    return found && { file: { ...found.facts, id, sizeBytes }, cipher: found.cipher };
  }

  /** @returns undefined: the file is complete, or never began */
  async #draft(owner: string, id: string): Promise<Draft | undefined> {
    const path = this.#path(owner, draftPrefix + id);
    try {
      const { size } = await stat(join(path, contentName));
      const found = await this.#facts(owner, id, path);
      if (!found) return undefined;
      const { cipher } = found;
      const sizeBytes = sizeOf(id) ?? 0;
      if (size === cipher.storedBytes(sizeBytes)) return { path, ...found, start: sizeBytes, tail: new Uint8Array() };
      const start = cipher.wholeChunks(size);
      return { path, ...found, start, tail: await readTail(path, start, cipher) };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw explained(error);
    }
  }

  async #facts<T extends object = FileFacts>(owner: string, id: string, path: string) {
    try {
      const stored = JSON.parse(await readFile(join(path, factsName), 'utf8'));
      return this.#encryption.read<T>(ownerName(owner), id, stored);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async #addTo(
    { path, cipher, start, tail }: Draft,
    content: Content,
    { sizeBytes, hash, claim }: PieceOfUpload,
  ): Promise<number> {
    const beforeWrite = (): Promise<void> => claim.requireSometimes();
    const before = tail.length > 0 ? tailPath(path, start) : undefined;
    let after: string | undefined;
    const keepTail = async (next: { readonly stored: Uint8Array; readonly start: number; readonly end: number }) => {
      if (next.end === sizeBytes) return false;
      await beforeWrite();
      after = tailPath(path, next.start);
      await writeWhole(after, next.stored);
      return true;
    };
    const onBytes = (end: number): void => {
      if (end > sizeBytes) throw tooLong(sizeBytes);
    };
    try {
      const options = { cipher, start, tail, onBytes, onChunk: hash?.add, beforeWrite, keepTail };
      return await writeContent(join(path, contentName), content, options);
    } finally {
      if (before !== undefined && before !== after) await rm(before, { force: true });
    }
  }

  /** The whole content is in the draft. @param hash unset: it is read for its SHA-256 */
  async #complete(owner: string, id: string, draft: Draft, hash?: RunningHash): Promise<void> {
    const sizeBytes = sizeOf(id) ?? 0;
    try {
      const sha256 = hash?.digest() ?? (await sha256Of(draft, sizeBytes));
      for (const name of await readdir(draft.path))
        if (name.startsWith(tailPrefix) || name === writerName) await rm(join(draft.path, name), { force: true });
      await this.#publish(owner, draft, { ...draft.facts, id, sizeBytes, sha256 });
    } catch (error) {
      // Another process has completed it.
      if (!isMissing(error) || !(await this.find(owner, id))) throw error;
    }
  }

  /** Everything is on the disk before the file has its name. */
  async #publish(owner: string, draft: Pick<Draft, 'path' | 'cipher'>, file: StoredFile): Promise<void> {
    const { id, sizeBytes: _, ...facts } = file;
    await writeWhole(join(draft.path, factsName), JSON.stringify(draft.cipher.encryptFacts(id, facts)));
    await syncFolder(draft.path);
    await rename(draft.path, this.#path(owner, id));
    await syncFolder(this.#folderOf(owner));
  }

  /** @returns bytes that the principal may still store @throws {FileRefused} it has more than it may */
  async #roomOf(owner: string): Promise<number> {
    const used = (await readdir(this.#folderOf(owner))).reduce((sum, name) => sum + bytesIn(name), 0);
    return roomLeft(this.limits, used);
  }

  async #requireRoomFor(owner: string, id: string): Promise<void> {
    try {
      await this.#roomOf(owner);
    } catch (error) {
      await this.delete(owner, id);
      throw error;
    }
  }

  /** The name of a principal may have any characters. */
  #folderOf(owner: string): string {
    return join(this.#folder, ownerName(owner));
  }

  #path(owner: string, name: string): string {
    return join(this.#folderOf(owner), name);
  }
}

async function sha256Of({ path, cipher }: Draft, sizeBytes: number): Promise<string> {
  const hash = createHash('sha256');
  const handle = await open(join(path, contentName), 'r');
  const range = { start: 0, end: sizeBytes - 1 };
  try {
    for await (const chunk of chunksOf(handle, { cipher, sizeBytes, range })) hash.update(chunk);
  } finally {
    await handle.close();
  }
  return hash.digest('hex');
}

/** What follows the whole chunks of an upload; none, if a crash has left half of it. */
async function readTail(path: string, start: number, cipher: FileCipher): Promise<Uint8Array> {
  try {
    return cipher.decrypt(await readFile(tailPath(path, start)), start / CHUNK_BYTES);
  } catch (error) {
    if (isMissing(error) || error instanceof FileRefused) return new Uint8Array();
    throw error;
  }
}

/** @param start plain bytes before it */
function tailPath(path: string, start: number): string {
  return join(path, `${tailPrefix}${start / CHUNK_BYTES}`);
}

/** The bytes of a range; each chunk is valid until the next one. */
function chunksOf(handle: FileHandle, what: Parameters<typeof plainContent>[0]): AsyncGenerator<Uint8Array> {
  return plainContent(what, (stored) => storedChunks(handle, stored));
}

/** In one buffer for all: 64 MiB in buffers of their own wait long for the garbage collection. */
async function* storedChunks(handle: FileHandle, { start, end }: Range): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, end + 1 - start));
  for (let at = start; at <= end; ) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, end + 1 - at), at);
    if (bytesRead === 0) throw damaged();
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
