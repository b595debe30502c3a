import { createHash, randomBytes } from 'node:crypto';
import type { Bucket, Part } from './bucket.ts';
import type { Content } from './durable.ts';
import { CHUNK_BYTES, type FileCipher, type StoredFacts } from './encryption.ts';
import type { FileKeys } from './file-keys.ts';
import { FileRefused } from './file-refused.ts';
import type { FileFacts, StoredFile } from './file-store.ts';
import { Piece } from './piece.ts';
import { plainContent } from './plain-content.ts';
import { tailPrefix } from './sweep.ts';

/** S3 takes parts from 5 MiB on, and 10,000 of them; some servers want all to be of one size. */
const SMALLEST_PART = 8 * 1024 ** 2;
/** Each request that continues one that has not ended leaves a number out. */
const MOST_PARTS = 9_000;

/** Plain bytes of each part but the last: whole chunks. @param sizeBytes that the content has at most */
export function partBytesFor(sizeBytes: number): number {
  const bytes = Math.max(SMALLEST_PART, sizeBytes / MOST_PARTS);
  return Math.ceil(bytes / CHUNK_BYTES) * CHUNK_BYTES;
}

/** What `upload.json` says. */
interface UploadState {
  /** Perhaps encrypted. */
  readonly facts: StoredFacts<FileFacts>;
  /** Unset: it is not known before the end. */
  readonly sizeBytes?: number | undefined;
  readonly partBytes: number;
  /** Plain bytes that are stored: in parts, then in the tail. */
  offset: number;
  /** Id of the multipart upload. Unset: there is none yet. */
  multipart?: string | undefined;
  parts: Part[];
  nextPart: number;
  /** What is too short for a part, with its plain bytes. */
  tail?: { readonly key: string; readonly bytes: number } | undefined;
  /** A random name of the request that writes. Unset: none does. */
  writer?: string | undefined;
}

/** What is known of the file besides its state. */
interface FileInBucket {
  readonly facts: FileFacts;
  readonly cipher: FileCipher;
}

/**
 * A file in the making. Who writes has put a name into `upload.json`, under the condition that nobody else had changed
 * it, and does so again with each part: of two requests the first one learns that the second one has taken over, and its
 * parts have numbers that are not used again. So a content never has parts of two writers.
 */
export class S3Upload {
  readonly #bucket: Bucket;
  readonly #keys: FileKeys;
  readonly #file: FileInBucket;
  readonly #state: UploadState;
  #etag: string | undefined;
  /** What follows the parts. */
  #rest: Piece;

  private constructor(
    { bucket, keys, file }: { readonly bucket: Bucket; readonly keys: FileKeys; readonly file: FileInBucket },
    { state, etag }: { state: UploadState; etag?: string },
  ) {
    this.#bucket = bucket;
    this.#keys = keys;
    this.#file = file;
    this.#state = state;
    this.#etag = etag;
    this.#rest = new Piece(file.cipher, { bytes: 0, start: partsEnd(state) });
  }

  /** @param given `isInPieces`: several requests write it, each of which claims it */
  static async create(
    place: { readonly bucket: Bucket; readonly keys: FileKeys; readonly file: FileInBucket },
    id: string,
    given: Pick<UploadState, 'sizeBytes' | 'partBytes'> & { readonly isInPieces: boolean },
  ): Promise<S3Upload> {
    const { bucket, keys, file } = place;
    const { isInPieces, ...known } = given;
    const facts = file.cipher.encryptFacts(id, file.facts);
    const state: UploadState = { ...known, facts, offset: 0, parts: [], nextPart: 1 };
    if (isInPieces && known.sizeBytes !== 0) state.multipart = await bucket.beginParts(keys.content);
    const upload = new S3Upload(place, { state });
    try {
      await (isInPieces ? upload.#save() : upload.claim());
    } catch (error) {
      // Nothing else knows of the parts.
      if (state.multipart) await bucket.abortParts(keys.content, state.multipart).catch(() => undefined);
      throw error;
    }
    return upload;
  }

  /** @returns undefined: the file is complete, or never began */
  static async read(
    bucket: Bucket,
    keys: FileKeys,
    decrypted: (facts: StoredFacts<FileFacts>) => FileInBucket,
  ): Promise<S3Upload | undefined> {
    const found = await bucket.text(keys.upload);
    if (!found) return undefined;
    const state: UploadState = JSON.parse(found.text);
    return new S3Upload({ bucket, keys, file: decrypted(state.facts) }, { state, etag: found.etag });
  }

  get facts(): FileFacts {
    return this.#file.facts;
  }

  /** Plain bytes that are stored. */
  get offset(): number {
    return this.#state.offset;
  }

  /** Plain bytes that are stored in parts. What follows them is written again by the next request. */
  get partsEnd(): number {
    return partsEnd(this.#state);
  }

  /** Takes the upload over from a request that has not ended. */
  async claim(): Promise<void> {
    // A part of that request may still be on its way.
    if (this.#state.writer !== undefined) this.#state.nextPart += 1;
    this.#state.writer = randomBytes(8).toString('hex');
    await this.#save();
  }

  /**
   * Stores content as far as it fills parts; `seal` or `stop` stores the rest, also when the content has broken off.
   * @param seen `onBytes` learns how many have come, and `onChunk` sees each chunk before it is stored; what they throw
   * ends the writing
   */
  async add(
    content: Content,
    seen: { readonly onBytes: (end: number) => void; readonly onChunk?: ((plain: Uint8Array) => void) | undefined },
  ): Promise<void> {
    const { partBytes, sizeBytes = partBytes, tail } = this.#state;
    const start = partsEnd(this.#state);
    this.#rest = new Piece(this.#file.cipher, { bytes: Math.min(partBytes, sizeBytes), start, onChunk: seen.onChunk });
    if (tail) await this.#readTail(tail);
    let end = this.#rest.end;
    for await (const chunk of content) {
      end += chunk.length;
      seen.onBytes(end);
      for (let done = 0; done < chunk.length; ) {
        if (this.#rest.isFull) await this.#putPart();
        done += this.#rest.add(chunk.subarray(done));
      }
    }
  }

  /** Stores the rest, so that another request can go on, or as the end of the content. */
  async stop(): Promise<void> {
    const { end, filled } = this.#rest;
    if (end === this.#state.sizeBytes) return this.seal();
    const { tail } = this.#state;
    delete this.#state.writer;
    if (filled === (tail?.bytes ?? 0)) return this.#save();
    const next = { key: `${this.#keys.folder}${tailPrefix}${randomBytes(8).toString('hex')}`, bytes: filled };
    await this.#bucket.put(next.key, this.#rest.take());
    this.#state.offset = end;
    await this.#saveTail(next);
  }

  /** Stores the rest as the end of the content. */
  async seal(): Promise<void> {
    if (this.#state.multipart === undefined) await this.#bucket.put(this.#keys.content, this.#rest.take());
    else if (this.#rest.filled > 0) await this.#putPart();
  }

  /**
   * Makes a file of an upload in pieces that is sealed. Several processes may do so; one may delete it meanwhile.
   * @param known its SHA-256; unset: it is read from the bucket
   */
  async complete(id: string, known?: string): Promise<void> {
    const { sizeBytes = 0 } = this.#state;
    const { facts } = this.#file;
    if (sizeBytes === 0) await this.#bucket.put(this.#keys.content, '');
    else await this.#join();
    const sha256 = known ?? (await this.#sha256Of(sizeBytes));
    const isThere = async (key: string): Promise<boolean> => (await this.#bucket.modifiedMs(key)) !== undefined;
    if (!(await isThere(this.#keys.upload))) {
      if (await isThere(this.#keys.facts)) return;
      throw lost();
    }
    await this.#writeFacts(this.#keys, { ...facts, id, sizeBytes, sha256 });
    if (!(await isThere(this.#keys.content))) {
      await this.#bucket.remove(this.#keys.facts);
      throw lost();
    }
    await removeUpload(this.#bucket, this.#keys);
  }

  async #sha256Of(sizeBytes: number): Promise<string> {
    const hash = createHash('sha256');
    const what = { cipher: this.#file.cipher, sizeBytes, range: { start: 0, end: sizeBytes - 1 } };
    const content = plainContent(what, (stored) => this.#bucket.read(this.#keys.content, stored));
    for await (const chunk of content) hash.update(chunk);
    return hash.digest('hex');
  }

  /** Makes a file of what one request has written and sealed. @param keys of the file, whose size may not have been known */
  async publish(file: StoredFile, keys: FileKeys): Promise<void> {
    await this.#join();
    await this.#writeFacts(keys, file);
    // What is left of it, a sweep removes.
    await this.#bucket.remove(this.#keys.upload).catch(() => undefined);
  }

  /** Removes everything. */
  discard(): Promise<void> {
    return discard(this.#bucket, this.#keys, this.#state);
  }

  /** @throws {FileRefused} `busy`: the request that has taken the upload over has removed it */
  async #readTail(tail: NonNullable<UploadState['tail']>): Promise<void> {
    try {
      for await (const chunk of this.#contentOf(tail)) this.#rest.add(chunk);
    } catch (error) {
      throw (await this.#bucket.modifiedMs(tail.key)) === undefined ? lost() : error;
    }
  }

  /** The plain bytes of what is too short for a part, which follows whole chunks. */
  #contentOf({ key, bytes }: NonNullable<UploadState['tail']>): AsyncIterable<Uint8Array> {
    const start = partsEnd(this.#state);
    const what = { cipher: this.#file.cipher, sizeBytes: start + bytes, range: { start, end: start + bytes - 1 } };
    const before = what.cipher.storedBytes(start);
    return plainContent(what, (stored) =>
      this.#bucket.read(key, { start: stored.start - before, end: stored.end - before }),
    );
  }

  #writeFacts({ facts: key }: FileKeys, { id, sizeBytes: _, ...facts }: StoredFile) {
    return this.#bucket.put(key, JSON.stringify(this.#file.cipher.encryptFacts(id, facts)));
  }

  async #putPart(): Promise<void> {
    const state = this.#state;
    const { content } = this.#keys;
    if (state.multipart === undefined) {
      state.multipart = await this.#bucket.beginParts(content);
      await this.#save();
    }
    const number = state.nextPart;
    const { end } = this.#rest;
    const body = this.#rest.take();
    const etag = await this.#bucket.putPart(content, state.multipart, { number, body });
    if (etag === undefined) throw lost();
    state.offset = end;
    state.parts.push([number, etag]);
    state.nextPart += 1;
    if (state.offset === state.sizeBytes) delete state.writer;
    await this.#saveTail(undefined);
  }

  async #join(): Promise<void> {
    const { multipart, parts } = this.#state;
    const { content } = this.#keys;
    if (multipart === undefined || (await this.#bucket.joinParts(content, multipart, parts))) return;
    // Another process was faster, unless the upload was removed.
    if ((await this.#bucket.modifiedMs(content)) === undefined) throw lost();
  }

  async #saveTail(next: UploadState['tail']): Promise<void> {
    const { tail } = this.#state;
    this.#state.tail = next;
    await this.#save();
    if (tail) await this.#bucket.remove(tail.key);
  }

  async #save(): Promise<void> {
    const condition = this.#etag === undefined ? 'new' : { etag: this.#etag };
    this.#etag = await this.#bucket.put(this.#keys.upload, JSON.stringify(this.#state), condition);
    if (this.#etag === undefined) throw lost();
  }
}

function lost(): FileRefused {
  return new FileRefused('busy', 'Another request goes on with this upload, or has removed it');
}

/** Plain bytes in the parts of an upload. */
function partsEnd({ offset, tail }: UploadState): number {
  return offset - (tail?.bytes ?? 0);
}

/** Removes an upload that is not complete, also without its secret. @returns false: there is none */
export async function discardUpload(bucket: Bucket, keys: FileKeys): Promise<boolean> {
  const found = await bucket.text(keys.upload);
  if (found) await discard(bucket, keys, JSON.parse(found.text));
  return found !== undefined;
}

async function discard(bucket: Bucket, keys: FileKeys, { multipart }: UploadState): Promise<void> {
  if (multipart !== undefined) await bucket.abortParts(keys.content, multipart);
  await bucket.remove(keys.content);
  await removeUpload(bucket, keys);
}

/** Removes what is only there as long as a file is not complete. */
export async function removeUpload(bucket: Bucket, { folder, upload }: FileKeys): Promise<void> {
  for await (const { key } of bucket.list(folder + tailPrefix)) await bucket.remove(key);
  await bucket.remove(upload);
}
