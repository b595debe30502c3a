import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type Content, hashOf, isMissing, syncFolder, writeContent, writeWhole } from './durable.ts';
import { newFileId, sizeOf } from './file-id.ts';
import { explained, FileRefused } from './file-refused.ts';
import type { FileFacts, FileLimits, FileStore, FileUpload, NewFile, OpenFile, StoredFile } from './file-store.ts';
import { limitOf, ownerName, requireExpected, roomLeft, tooLarge, tooLong } from './rules.ts';
import { bytesIn, draftPrefix, factsName, gonePrefix, type SweepOptions, sweepFolder, taskName } from './sweep.ts';

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
  /** Uploads that a request of this process writes. */
  readonly #writing = new Set<string>();

  constructor(folder: string, limits: FileLimits) {
    this.#folder = folder;
    this.limits = limits;
  }

  /** Rejects if the folder cannot be written. */
  async start(): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
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
  async write(owner: string, content: Content, { facts, expected = {}, taskId }: NewFile): Promise<StoredFile> {
    const draft = await this.#createDraft(owner, facts, expected.sizeBytes);
    try {
      const hash = createHash('sha256');
      const limit = limitOf(this.limits, await this.#roomOf(owner), expected);
      const onPiece = (piece: Uint8Array, end: number): void => {
        if (end > limit.bytes) throw limit.error();
        hash.update(piece);
      };
      const sizeBytes = await writeContent(join(draft.path, 'content'), content, { onPiece });
      const file = { ...facts, id: draft.id ?? newFileId(sizeBytes), sizeBytes, sha256: hash.digest('hex') };
      requireExpected(file, expected);
      const mark = taskId === undefined ? undefined : taskName(taskId);
      if (mark !== undefined) await writeWhole(join(draft.path, mark), '');
      await this.#publish(owner, draft.path, file);
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
    const draft = await this.#createDraft(owner, facts, sizeBytes);
    try {
      await this.#roomOf(owner);
      await writeWhole(join(draft.path, 'content'), '');
      await syncFolder(draft.path);
      await syncFolder(this.#folderOf(owner));
      return draft.id ?? '';
    } catch (error) {
      await rm(draft.path, { recursive: true, force: true });
      throw explained(error);
    }
  }

  /** An upload, also one that is complete; undefined: there is none with this id. */
  async upload(owner: string, id: string): Promise<FileUpload | undefined> {
    const sizeBytes = sizeOf(id);
    if (sizeBytes === undefined) return undefined;
    const draft = this.#path(owner, draftPrefix + id);
    try {
      const { size: offset } = await stat(join(draft, 'content'));
      const facts: FileFacts = JSON.parse(await readFile(join(draft, factsName), 'utf8'));
      // The process crashed before it could complete the file.
      if (offset === sizeBytes && !this.#writing.has(draft)) await this.#complete(owner, id, facts);
      return { id, sizeBytes, offset, facts };
    } catch (error) {
      if (!isMissing(error)) throw explained(error);
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
    const draft = this.#path(owner, draftPrefix + id);
    if (this.#writing.has(draft)) throw new FileRefused('busy', 'Another request writes this upload');
    this.#writing.add(draft);
    try {
      const upload = await this.upload(owner, id);
      if (upload?.offset !== offset)
        throw new FileRefused('wrong-offset', `The upload has ${upload?.offset ?? 0} bytes, and not ${offset}`);
      const { sizeBytes, facts } = upload;
      const onPiece = (_: Uint8Array, end: number): void => {
        if (end > sizeBytes) throw tooLong(sizeBytes);
      };
      const end = await writeContent(join(draft, 'content'), content, { offset, onPiece });
      if (end === sizeBytes) await this.#complete(owner, id, facts);
      return end;
    } catch (error) {
      throw explained(error);
    } finally {
      this.#writing.delete(draft);
    }
  }

  /** A file of the principal; undefined: there is none with this id. */
  async find(owner: string, id: string): Promise<StoredFile | undefined> {
    const sizeBytes = sizeOf(id);
    if (sizeBytes === undefined) return undefined;
    try {
      const facts: FileFacts & { sha256: string } = JSON.parse(
        await readFile(join(this.#path(owner, id), factsName), 'utf8'),
      );
      return { ...facts, id, sizeBytes };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** Opens a file: it can be read to its end, also if it is removed meanwhile. */
  async open(owner: string, id: string): Promise<OpenFile | undefined> {
    const file = await this.find(owner, id);
    if (!file) return undefined;
    try {
      const handle = await open(join(this.#path(owner, id), 'content'), 'r');
      return {
        file,
        read: (range = { start: 0, end: file.sizeBytes - 1 }) => {
          if (file.sizeBytes > 0) return handle.createReadStream({ ...range });
          void handle.close();
          return Readable.from([]);
        },
        close: () => handle.close(),
      };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** Keeps a file as long as the task exists. @returns false: the principal has no such file */
  async keepFor(owner: string, id: string, taskId: string): Promise<boolean> {
    const name = taskName(taskId);
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
  async release(owner: string, id: string, taskId: string): Promise<void> {
    const name = taskName(taskId);
    if (name !== undefined && sizeOf(id) !== undefined) await rm(this.#path(owner, join(id, name)), { force: true });
  }

  /** Removes a file or an upload, whatever refers to it. @returns false: there is none */
  async delete(owner: string, id: string): Promise<boolean> {
    if (sizeOf(id) === undefined) return false;
    for (const name of [id, draftPrefix + id]) {
      const gone = this.#path(owner, gonePrefix + id);
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
  sweep(options: SweepOptions): Promise<{ readonly removed: number; readonly bytes: number }> {
    return sweepFolder(this.#folder, options);
  }

  async #createDraft(owner: string, facts: FileFacts, sizeBytes: number | undefined) {
    const { maxFileBytes } = this.limits;
    if (sizeBytes !== undefined && sizeBytes > maxFileBytes) throw tooLarge(maxFileBytes);
    const id = sizeBytes === undefined ? undefined : newFileId(sizeBytes);
    const path = this.#path(owner, draftPrefix + (id ?? newFileId(0)));
    try {
      await mkdir(path, { recursive: true });
      await writeWhole(join(path, factsName), JSON.stringify(facts));
      return { id, path };
    } catch (error) {
      await rm(path, { recursive: true, force: true });
      throw explained(error);
    }
  }

  /** The whole content is in the draft. */
  async #complete(owner: string, id: string, facts: FileFacts): Promise<void> {
    const draft = this.#path(owner, draftPrefix + id);
    try {
      const sha256 = await hashOf(join(draft, 'content'));
      await this.#publish(owner, draft, { ...facts, id, sizeBytes: sizeOf(id) ?? 0, sha256 });
    } catch (error) {
      // Another process has completed it.
      if (!isMissing(error) || !(await this.find(owner, id))) throw error;
    }
  }

  /** Everything is on the disk before the file has its name. */
  async #publish(owner: string, draft: string, { id, sizeBytes: _, ...facts }: StoredFile): Promise<void> {
    await writeWhole(join(draft, factsName), JSON.stringify(facts));
    await syncFolder(draft);
    await rename(draft, this.#path(owner, id));
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
