import { createHash, randomBytes } from 'node:crypto';
import type { Bucket, Part } from './bucket.ts';
import type { Content } from './durable.ts';
import { type FileKeys, tailPrefix } from './file-keys.ts';
import { FileRefused } from './file-refused.ts';
import type { FileFacts, StoredFile } from './file-store.ts';

/** S3 takes parts from 5 MiB on, and 10,000 of them; some servers want all to be of one size. */
const SMALLEST_PART = 8 * 1024 ** 2;
/** Each request that continues one that has not ended leaves a number out. */
const MOST_PARTS = 9_000;

/** Bytes of each part but the last. @param sizeBytes that the content has at most */
export function partBytesFor(sizeBytes: number): number {
  return Math.max(SMALLEST_PART, Math.ceil(sizeBytes / MOST_PARTS));
}

/** What `upload.json` says. */
interface UploadState {
  readonly facts: FileFacts;
  /** Unset: it is not known before the end. */
  readonly sizeBytes?: number | undefined;
  readonly partBytes: number;
  /** Bytes that are stored: in parts, then in the tail. */
  offset: number;
  /** Id of the multipart upload. Unset: there is none yet. */
  multipart?: string | undefined;
  parts: Part[];
  nextPart: number;
  /** What is too short for a part. */
  tail?: { readonly key: string; readonly bytes: number } | undefined;
  /** A random name of the request that writes. Unset: none does. */
  writer?: string | undefined;
}

/**
 * A file in the making. Who writes has put a name into `upload.json`, under the condition that nobody else had changed
 * it, and does so again with each part: of two requests the first one learns that the second one has taken over, and its
 * parts have numbers that are not used again. So a content never has parts of two writers.
 */
export class S3Upload {
  readonly #bucket: Bucket;
  readonly #keys: FileKeys;
  readonly #state: UploadState;
  #etag: string | undefined;
  /** What follows the parts. */
  #rest: Uint8Array = new Uint8Array();
  #restBytes = 0;

  private constructor(bucket: Bucket, keys: FileKeys, { state, etag }: { state: UploadState; etag?: string }) {
    this.#bucket = bucket;
    this.#keys = keys;
    this.#state = state;
    this.#etag = etag;
  }

  /** @param given `isInPieces`: several requests write it, each of which claims it */
  static async create(
    bucket: Bucket,
    keys: FileKeys,
    given: Pick<UploadState, 'facts' | 'sizeBytes' | 'partBytes'> & { readonly isInPieces: boolean },
  ): Promise<S3Upload> {
    const { isInPieces, ...known } = given;
    const state: UploadState = { ...known, offset: 0, parts: [], nextPart: 1 };
    if (isInPieces && known.sizeBytes !== 0) state.multipart = await bucket.beginParts(keys.content);
    const upload = new S3Upload(bucket, keys, { state });
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
  static async read(bucket: Bucket, keys: FileKeys): Promise<S3Upload | undefined> {
    const found = await bucket.text(keys.upload);
    return found && new S3Upload(bucket, keys, { state: JSON.parse(found.text), etag: found.etag });
  }

  get facts(): FileFacts {
    return this.#state.facts;
  }

  /** Bytes that are stored. */
  get offset(): number {
    return this.#state.offset;
  }

  /** Takes the upload over from a request that has not ended. */
  async claim(): Promise<void> {
    // A part of that request may still be on its way.
    if (this.#state.writer !== undefined) this.#state.nextPart += 1;
    this.#state.writer = randomBytes(8).toString('hex');
    await this.#save();
  }

  /**
   * Stores content as far as it fills parts; `seal` or `pause` stores the rest, also when the content has broken off.
   * @param onChunk sees each chunk, and the bytes with it, before it is stored; what it throws ends the writing
   */
  async add(content: Content, onChunk: (chunk: Uint8Array, end: number) => void): Promise<void> {
    const { partBytes, sizeBytes = partBytes, tail } = this.#state;
    this.#rest = Buffer.allocUnsafe(Math.min(partBytes, sizeBytes));
    if (tail)
      for await (const chunk of this.#bucket.read(tail.key, { start: 0, end: tail.bytes - 1 })) this.#keep(chunk);
    for await (const chunk of content) {
      onChunk(chunk, this.#end + chunk.length);
      for (let done = 0; done < chunk.length; ) {
        if (this.#restBytes === partBytes) await this.#putPart();
        done += this.#keep(chunk.subarray(done, done + partBytes - this.#restBytes));
      }
    }
  }

  /** Stores the rest, so that another request can go on, or as the end of the content. */
  async stop(): Promise<void> {
    if (this.#end === this.#state.sizeBytes) return this.seal();
    const { tail } = this.#state;
    delete this.#state.writer;
    if (this.#restBytes === (tail?.bytes ?? 0)) return this.#save();
    const next = { key: `${this.#keys.folder}${tailPrefix}${randomBytes(8).toString('hex')}`, bytes: this.#restBytes };
    await this.#bucket.put(next.key, this.#rest.subarray(0, this.#restBytes));
    this.#state.offset = this.#end;
    await this.#saveTail(next);
  }

  /** Stores the rest as the end of the content. */
  async seal(): Promise<void> {
    if (this.#state.multipart === undefined)
      await this.#bucket.put(this.#keys.content, this.#rest.subarray(0, this.#restBytes));
    else if (this.#restBytes > 0) await this.#putPart();
  }

  /** Makes a file of an upload in pieces that is sealed. Several processes may do so; one may delete it meanwhile. */
  async complete(id: string): Promise<void> {
    const { sizeBytes = 0, facts } = this.#state;
    if (sizeBytes === 0) await this.#bucket.put(this.#keys.content, '');
    else await this.#join();
    const hash = createHash('sha256');
    for await (const chunk of this.#bucket.read(this.#keys.content, { start: 0, end: sizeBytes - 1 }))
      hash.update(chunk);
    const isThere = async (key: string): Promise<boolean> => (await this.#bucket.modifiedMs(key)) !== undefined;
    if (!(await isThere(this.#keys.upload))) {
      if (await isThere(this.#keys.facts)) return;
      throw lost();
    }
    await writeFacts(this.#bucket, this.#keys, { ...facts, id, sizeBytes, sha256: hash.digest('hex') });
    if (!(await isThere(this.#keys.content))) {
      await this.#bucket.remove(this.#keys.facts);
      throw lost();
    }
    await removeUpload(this.#bucket, this.#keys);
  }

  /** Makes a file of what one request has written and sealed. @param keys of the file, whose size may not have been known */
  async publish(file: StoredFile, keys: FileKeys): Promise<void> {
    await this.#join();
    await writeFacts(this.#bucket, keys, file);
    // What is left of it, a sweep removes.
    await this.#bucket.remove(this.#keys.upload).catch(() => undefined);
  }

  /** Removes everything. */
  async discard(): Promise<void> {
    const { multipart } = this.#state;
    if (multipart !== undefined) await this.#bucket.abortParts(this.#keys.content, multipart);
    await this.#bucket.remove(this.#keys.content);
    await removeUpload(this.#bucket, this.#keys);
  }

  /** Bytes with the rest. */
  get #end(): number {
    const { offset, tail } = this.#state;
    return offset - (tail?.bytes ?? 0) + this.#restBytes;
  }

  #keep(chunk: Uint8Array): number {
    this.#rest.set(chunk, this.#restBytes);
    this.#restBytes += chunk.length;
    return chunk.length;
  }

  async #putPart(): Promise<void> {
    const state = this.#state;
    const { content } = this.#keys;
    if (state.multipart === undefined) {
      state.multipart = await this.#bucket.beginParts(content);
      await this.#save();
    }
    const number = state.nextPart;
    const body = this.#rest.subarray(0, this.#restBytes);
    const etag = await this.#bucket.putPart(content, state.multipart, { number, body });
    if (etag === undefined) throw lost();
    state.offset = this.#end;
    state.parts.push([number, etag]);
    state.nextPart += 1;
    this.#restBytes = 0;
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

function writeFacts(bucket: Bucket, { facts: key }: FileKeys, { id: _, sizeBytes: __, ...facts }: StoredFile) {
  return bucket.put(key, JSON.stringify(facts));
}

/** Removes what is only there as long as a file is not complete. */
export async function removeUpload(bucket: Bucket, { folder, upload }: FileKeys): Promise<void> {
  for await (const { key } of bucket.list(folder + tailPrefix)) await bucket.remove(key);
  await bucket.remove(upload);
}
