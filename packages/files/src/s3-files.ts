import { randomBytes } from 'node:crypto';
import type { Bucket } from './bucket.ts';
import type { Content } from './durable.ts';
import { CHUNK_BYTES, type FileCipher, FileEncryption } from './encryption.ts';
import { isRawId, newFileId, rawId, sizedId, sizeOf } from './file-id.ts';
import { type FileKeys, fileKeys, ownerKeys } from './file-keys.ts';
import { FileRefused, forOperators, problemOf } from './file-refused.ts';
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
} from './file-store.ts';
import { plainContent } from './plain-content.ts';
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
import { discardUpload, partBytesFor, S3Upload } from './s3-upload.ts';
import { countedIn, countedName, type Keeper, markOf, type SweepOptions, type SweepResult } from './sweep.ts';
import { sweepBucket } from './sweep-bucket.ts';

/** Reasons for which nothing more is stored of an upload. */
const ofStore: readonly string[] = ['unavailable', 'store-full', 'busy'];

/**
 * Files in a bucket, which gateways and workers on any machines share. What belongs to a file begins with its principal
 * and its id (`FileKeys`). A bucket cannot rename: nobody sees a file before its facts are there, which are written last
 * and removed first.
 */
export class S3Files implements FileStore {
  readonly limits: FileLimits;
  readonly #open: () => Promise<Bucket>;
  readonly #encryption: FileEncryption;
  #bucket: Promise<Bucket> | undefined;
  /** Uploads that a request of this process writes. */
  readonly #writing = new Set<string>();
  /** Of uploads that are not complete. */
  readonly #hashes = new RunningHashes();

  /** @param open is called once, with the first use */
  constructor(open: () => Promise<Bucket>, limits: FileLimits, encryption = new FileEncryption()) {
    this.#open = open;
    this.limits = limits;
    this.#encryption = encryption;
  }

  async start(): Promise<void> {
    const bucket = await this.#loaded();
    await bucket.start().catch((error: unknown) => {
      throw forOperators(error);
    });
  }

  async status(): Promise<FilesStatus> {
    const bucket = await this.#loaded();
    const [problem, stored] = await Promise.all([
      problemOf(bucket.probe()),
      bucket
        .text(bucket.prefix + countedName)
        .then((found) => found && countedIn(found.text))
        .catch(() => undefined),
    ]);
    return { place: bucket.address, isEncrypted: this.#encryption.isOn, problem, stored };
  }

  async volume(): Promise<undefined> {
    return undefined;
  }

  async write(owner: string, content: Content, file: NewFile): Promise<StoredFile> {
    return this.#write(owner, content, file, { id: newFileId(file.expected?.sizeBytes ?? 0) });
  }

  async writeRaw(owner: string, raw: RawContent): Promise<string> {
    const { known, file } = rawFileOf(this.#encryption, owner, raw);
    const { bytes, keeper } = raw;
    if (await this.keepFor(owner, known.id, keeper)) return known.id;
    if (await this.#writeUnlessBusy(owner, contentOf(bytes), file, known)) return known.id;
    // Stored again under another name: nobody waits for a request that may have ended.
    const other = rawId(randomBytes(16).toString('hex'), bytes.length);
    return (await this.#write(owner, contentOf(bytes), file, { ...known, id: other })).id;
  }

  /** @returns false: the file is being removed, or another request writes it, or did so before it crashed */
  async #writeUnlessBusy(owner: string, content: Content, file: NewFile, known: KnownName): Promise<boolean> {
    const { bucket, keys } = await this.#of(owner, known.id);
    const isThere = async (key: string): Promise<boolean> => (await bucket.modifiedMs(key)) !== undefined;
    if (await isThere(keys.gone)) return false;
    try {
      await this.#write(owner, content, file, known);
    } catch (error) {
      if (error instanceof FileRefused && error.reason === 'busy') return false;
      throw error;
    }
    // Its owner may have deleted the one before it meanwhile.
    return isThere(keys.content);
  }

  async #write(
    owner: string,
    content: Content,
    { facts, expected = {}, keeper }: NewFile,
    { id, sha256 }: KnownName,
  ): Promise<StoredFile> {
    const { draftId, bucket, upload } = await this.#create(owner, facts, { id, sizeBytes: expected.sizeBytes });
    let written: readonly string[] = [];
    try {
      const digest = digestOf(sha256);
      const limit = limitOf(this.limits, await this.#roomOf(owner), expected);
      let sizeBytes = 0;
      const onBytes = (end: number): void => {
        if (end > limit.bytes) throw limit.error();
        sizeBytes = end;
      };
      await upload.add(content, { onBytes, onChunk: digest.add });
      await upload.seal();
      const file = { ...facts, id: sizedId(draftId, sizeBytes), sizeBytes, sha256: digest.hex() };
      requireExpected(file, expected);
      const keys = fileKeys(bucket.prefix, owner, file.id);
      const mark = keeper && markOf(keeper);
      written = [keys.facts, ...(mark === undefined ? [] : [keys.folder + mark])];
      if (mark !== undefined) await bucket.put(keys.folder + mark, '');
      await upload.publish(file, keys);
      // Another file of the principal may have been written meanwhile, and its size was not known before.
      if (expected.sizeBytes === undefined) await this.#requireRoomFor(owner, file.id);
      return file;
    } catch (error) {
      // Of the same content another message may have the file already, as it was perhaps published: a sweep decides.
      if (written.length === 0 || !isRawId(id)) await undo(bucket, written, upload);
      throw error;
    }
  }

  async begin(owner: string, facts: FileFacts, sizeBytes: number): Promise<string> {
    const given = { id: newFileId(sizeBytes), sizeBytes, isInPieces: true };
    const { draftId, upload } = await this.#create(owner, facts, given);
    try {
      await this.#roomOf(owner);
      return draftId;
    } catch (error) {
      await upload.discard().catch(() => undefined);
      throw error;
    }
  }

  async upload(owner: string, id: string): Promise<FileUpload | undefined> {
    const sizeBytes = sizeOf(id);
    if (sizeBytes === undefined) return undefined;
    const { keys } = await this.#of(owner, id);
    const upload = await this.#readUpload(owner, id);
    if (upload) {
      const { offset, facts } = upload;
      // The process crashed before it could complete the file.
      if (offset === sizeBytes && !this.#writing.has(keys.upload)) await upload.complete(id);
      return { id, sizeBytes, offset, facts };
    }
    const file = await this.find(owner, id);
    return file && { id, sizeBytes, offset: sizeBytes, facts: file };
  }

  /** A second request for the same upload in another process takes over: then this one throws `busy`. */
  async append(owner: string, id: string, { offset, content }: { offset: number; content: Content }): Promise<number> {
    const { bucket, keys } = await this.#of(owner, id);
    if (this.#writing.has(keys.upload)) throw new FileRefused('busy', 'Another request writes this upload');
    this.#writing.add(keys.upload);
    try {
      const upload = await this.#readUpload(owner, id);
      const stored = upload?.offset ?? (await this.upload(owner, id))?.offset;
      if (stored === undefined) throw new FileRefused('wrong-offset', 'The upload has been removed');
      if (stored !== offset) throw new FileRefused('wrong-offset', `The upload has ${stored} bytes, and not ${offset}`);
      const sizeBytes = sizeOf(id) ?? 0;
      if (!upload) return stored;
      const hash = this.#hashes.take(keys.upload, { start: offset - (offset % CHUNK_BYTES), sizeBytes });
      if (stored < sizeBytes) await this.#addTo(upload, content, { sizeBytes, hash });
      // Without conditions another process may have written the same bytes, and not know it.
      if (upload.offset === sizeBytes) await upload.complete(id, bucket.hasConditions ? hash?.digest() : undefined);
      else if (hash) this.#hashes.keep(keys.upload, hash);
      return upload.offset;
    } finally {
      this.#writing.delete(keys.upload);
    }
  }

  async find(owner: string, id: string): Promise<StoredFile | undefined> {
    return (await this.#find(owner, id))?.file;
  }

  /** A file that is removed before it is read to its end may break off. */
  async open(owner: string, id: string): Promise<OpenFile | undefined> {
    const found = await this.#find(owner, id);
    if (!found) return undefined;
    const { file, cipher } = found;
    const { sizeBytes } = file;
    const { bucket, keys } = await this.#of(owner, id);
    return {
      file,
      chunks: (range = { start: 0, end: sizeBytes - 1 }) =>
        plainContent({ cipher, sizeBytes, range }, (stored) => bucket.read(keys.content, stored)),
      close: async () => undefined,
    };
  }

  async keepFor(owner: string, id: string, keeper: Keeper): Promise<boolean> {
    const name = markOf(keeper);
    // No task has so long an id.
    if (name === undefined) return (await this.find(owner, id)) !== undefined;
    if (sizeOf(id) === undefined) return false;
    const { bucket, keys } = await this.#of(owner, id);
    // A mark counts as bytes of the principal: there is none for a file of somebody else.
    if ((await bucket.modifiedMs(keys.facts)) === undefined) return false;
    await bucket.put(keys.folder + name, '');
    // Again: a sweep looks for marks after it has removed the facts.
    if ((await bucket.modifiedMs(keys.facts)) !== undefined) return true;
    await bucket.remove(keys.folder + name);
    return false;
  }

  async release(owner: string, id: string, keeper: Keeper): Promise<void> {
    const name = markOf(keeper);
    if (name === undefined || sizeOf(id) === undefined) return;
    const { bucket, keys } = await this.#of(owner, id);
    await bucket.remove(keys.folder + name);
  }

  async delete(owner: string, id: string): Promise<boolean> {
    if (sizeOf(id) === undefined) return false;
    const { bucket, keys } = await this.#of(owner, id);
    const isFile = (await bucket.modifiedMs(keys.facts)) !== undefined;
    if (isFile) await bucket.remove(keys.facts);
    const isUpload = await discardUpload(bucket, keys);
    if (isFile) await bucket.remove(keys.content);
    for await (const { key } of bucket.list(keys.folder)) await bucket.remove(key);
    return isFile || isUpload;
  }

  async sweep(options: SweepOptions): Promise<SweepResult> {
    return sweepBucket(await this.#loaded(), options);
  }

  /** An upload counts for its principal as soon as it has its name. */
  async #create(
    owner: string,
    facts: FileFacts,
    given: { readonly id: string; readonly sizeBytes: number | undefined; readonly isInPieces?: boolean },
  ) {
    const { id: draftId, sizeBytes, isInPieces = false } = given;
    const { maxFileBytes } = this.limits;
    if (sizeBytes !== undefined && sizeBytes > maxFileBytes) throw tooLarge(maxFileBytes);
    const { bucket, keys } = await this.#of(owner, draftId);
    const partBytes = partBytesFor(sizeBytes ?? maxFileBytes);
    const file = { facts, cipher: this.#encryption.forNew(ownerName(owner), draftId) };
    const upload = await S3Upload.create({ bucket, keys, file }, draftId, { sizeBytes, partBytes, isInPieces });
    return { draftId, bucket, upload };
  }

  async #find(owner: string, id: string): Promise<{ file: StoredFile; cipher: FileCipher } | undefined> {
    const sizeBytes = sizeOf(id);
    if (sizeBytes === undefined) return undefined;
    const { bucket, keys } = await this.#of(owner, id);
    const text = (await bucket.text(keys.facts))?.text;
    if (text === undefined) return undefined;
    const stored: FileFacts & { sha256: string } = JSON.parse(text);
    const { facts, cipher } = this.#encryption.read(ownerName(owner), id, stored);
    return { file: { ...facts, id, sizeBytes }, cipher };
  }

  async #readUpload(owner: string, id: string): Promise<S3Upload | undefined> {
    const { bucket, keys } = await this.#of(owner, id);
    return S3Upload.read(bucket, keys, (stored) => this.#encryption.read(ownerName(owner), id, stored));
  }

  async #addTo(
    upload: S3Upload,
    content: Content,
    { sizeBytes, hash }: { readonly sizeBytes: number; readonly hash: RunningHash | undefined },
  ): Promise<void> {
    await upload.claim();
    try {
      const onBytes = (end: number): void => {
        if (end > sizeBytes) throw tooLong(sizeBytes);
      };
      await upload.add(content, { onBytes, onChunk: hash?.addFrom(upload.partsEnd) });
    } catch (error) {
      if (!(error instanceof FileRefused && ofStore.includes(error.reason))) await upload.stop();
      throw error;
    }
    await upload.stop();
  }

  /** @returns bytes that the principal may still store @throws {FileRefused} it has more than it may */
  async #roomOf(owner: string): Promise<number> {
    const bucket = await this.#loaded();
    let used = 0;
    for await (const id of bucket.folders(ownerKeys(bucket.prefix, ownerName(owner)).files)) used += sizeOf(id) ?? 0;
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

  async #of(owner: string, id: string): Promise<{ readonly bucket: Bucket; readonly keys: FileKeys }> {
    const bucket = await this.#loaded();
    return { bucket, keys: fileKeys(bucket.prefix, owner, id) };
  }

  #loaded(): Promise<Bucket> {
    this.#bucket ??= this.#open();
    return this.#bucket;
  }
}

/** Removes what was written of a file, unless the bucket is away: then a sweep does it later. */
async function undo(bucket: Bucket, written: readonly string[], upload: S3Upload): Promise<void> {
  const remove = async (): Promise<void> => {
    // First of all, so that nobody sees a file without content.
    for (const key of written) await bucket.remove(key);
    await upload.discard();
  };
  await remove().catch(() => undefined);
}
