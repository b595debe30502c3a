import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2Output,
  PutObjectCommand,
  type PutObjectCommandInput,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { isConflict, isMissing, isUnknownHeader, refusalOf } from './bucket-errors.ts';
import type { BucketPlace } from './bucket-url.ts';
import { free } from './free.ts';

/** A request of a few bytes, with its repetitions. */
const SMALL_MS = 15_000;
/** A part, with its repetitions. */
const LARGE_MS = 120_000;
/** The joining of all parts, with its repetitions. */
const JOIN_MS = 300_000;
const CONNECT_MS = 3_000;
/** A connection on which nothing comes or goes. */
const IDLE_MS = 10_000;
/** Of a request, and of a download in sequence without a byte. */
const ATTEMPTS = 3;
const RETRY_MS = 200;
/** Downloads hold one each. */
const MAX_SOCKETS = 1_024;

export interface StoredObject {
  readonly key: string;
  readonly modifiedMs: number;
}

/** A part of an upload: its number, and its ETag. */
export type Part = readonly [number: number, etag: string];

/** Refused, if an object does not have this ETag, or if there is one (`new`). */
export type Condition = { readonly etag: string | undefined } | 'new';

export interface BucketLimits {
  /** How long a request of a few bytes may take, with its repetitions. */
  readonly smallMs?: number;
  /** Most names in one answer. Default: what the server gives, mostly 1,000. */
  readonly pageSize?: number;
}

/** The requests to a bucket, which are repeated, and end in time. @throws {FileRefused} `unavailable`, `store-full` */
export class Bucket {
  readonly #client: S3Client;
  /** For requests after which a server is silent while it writes a large object. */
  readonly #patient: S3Client;
  readonly #place: BucketPlace;
  readonly #smallMs: number;
  readonly #pageSize: number | undefined;
  /** Whether the server keeps conditions of `PutObject`. */
  #hasConditions = true;

  constructor(place: BucketPlace, { smallMs = SMALL_MS, pageSize }: BucketLimits = {}) {
    const { endpoint, region } = place;
    this.#place = place;
    this.#smallMs = smallMs;
    this.#pageSize = pageSize;
    const agent = { keepAlive: true, maxSockets: MAX_SOCKETS };
    const clientWith = (socketTimeout: number) =>
      new S3Client({
        ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
        ...(region !== undefined && { region }),
        maxAttempts: ATTEMPTS,
        // Older servers refuse the checksums that the SDK would add.
        requestChecksumCalculation: 'WHEN_REQUIRED',
        responseChecksumValidation: 'WHEN_REQUIRED',
        requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout, httpAgent: agent, httpsAgent: agent },
      });
    this.#client = clientWith(IDLE_MS);
    this.#patient = clientWith(LARGE_MS);
  }

  /** Whether of two requests that write the same object one is refused. */
  get hasConditions(): boolean {
    return this.#hasConditions;
  }

  get prefix(): string {
    return this.#place.prefix;
  }

  /** For people. */
  get address(): string {
    const { bucket, prefix, endpoint } = this.#place;
    return `s3://${bucket}/${prefix}${endpoint === undefined ? '' : ` at ${endpoint}`}`;
  }

  /** Rejects if nothing can be written there. Finds out whether the server keeps conditions. */
  start(): Promise<void> {
    return this.probe(async (key) => {
      for (const condition of [{ IfNoneMatch: '*' }, { IfMatch: '"0"' }])
        if (!(await this.#refuses({ ...this.#object(key), Body: new Uint8Array(), ...condition })))
          this.#hasConditions = false;
    });
  }

  /** Rejects if nothing can be written there. @param meanwhile gets the key of an object that is there so long */
  async probe(meanwhile: (key: string) => Promise<void> = async () => undefined): Promise<void> {
    const key = `${this.prefix}.probe-${randomBytes(8).toString('hex')}`;
    await this.put(key, '');
    await meanwhile(key);
    await this.remove(key);
  }

  /** Whether the server keeps a condition, which does not hold. */
  async #refuses(input: PutObjectCommandInput): Promise<boolean> {
    try {
      await this.#send((signal) => this.#client.send(new PutObjectCommand(input), signal));
      return false;
    } catch (error) {
      if (isUnknownHeader(error)) return false;
      if (isConflict(error)) return true;
      throw this.#explained(error);
    }
  }

  /** @returns the ETag; undefined: the condition does not hold */
  async put(key: string, body: Uint8Array | string, condition?: Condition): Promise<string | undefined> {
    const kept = this.#hasConditions ? condition : undefined;
    const headers = kept === 'new' ? { IfNoneMatch: '*' } : kept?.etag === undefined ? {} : { IfMatch: kept.etag };
    const command = new PutObjectCommand({
      ...this.#object(key),
      ...headers,
      Body: typeof body === 'string' ? Buffer.from(body) : body,
    });
    try {
      const { ETag = '' } = await this.#send((signal) => this.#client.send(command, signal), this.#limitFor(body));
      return ETag;
    } catch (error) {
      if (kept === undefined || !isConflict(error)) throw this.#explained(error);
    }
    // The answer of the first try may have been lost.
    const found = typeof body === 'string' ? await this.text(key) : undefined;
    return found?.text === body && body !== '' ? found.etag : undefined;
  }

  /** A small object; undefined: there is none. */
  async text(key: string): Promise<{ readonly text: string; readonly etag: string } | undefined> {
    const command = new GetObjectCommand(this.#object(key));
    try {
      return await this.#send(async (signal) => {
        const { Body, ETag = '' } = await this.#client.send(command, signal);
        return { text: (await Body?.transformToString()) ?? '', etag: ETag };
      });
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw this.#explained(error);
    }
  }

  /** When an object was written, by the server's clock; undefined: there is none. */
  async modifiedMs(key: string): Promise<number | undefined> {
    const command = new HeadObjectCommand(this.#object(key));
    try {
      const { LastModified } = await this.#send((signal) => this.#client.send(command, signal));
      return LastModified?.getTime() ?? 0;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw this.#explained(error);
    }
  }

  /**
   * Bytes of an object, which go on where the connection broke off. Each chunk is valid until the next one.
   * @param range first and last byte
   */
  async *read(key: string, range: { readonly start: number; readonly end: number }): AsyncGenerator<Uint8Array> {
    let { start } = range;
    for (let failures = 0; start <= range.end; ) {
      const command = new GetObjectCommand({ ...this.#object(key), Range: `bytes=${start}-${range.end}` });
      const { Body } = await this.#send((signal) => this.#client.send(command, signal)).catch((error: unknown) => {
        throw this.#explained(error);
      });
      const body = Body as IncomingMessage;
      const { socket } = body;
      // A connection serves the next request while its last reader is slow, and stays for others.
      if (!socket.listeners('data').includes(freeSoon)) socket.on('data', freeSoon);
      try {
        for await (const chunk of body) {
          failures = 0;
          start += chunk.length;
          yield chunk;
          free(chunk);
        }
        if (start <= range.end) throw Object.assign(new Error(), { name: 'ContentEndsTooEarly' });
      } catch (error) {
        // A reader that is slow makes the connection idle, too.
        failures += 1;
        if (failures === ATTEMPTS) throw this.#explained(error);
        await delay(RETRY_MS);
      } finally {
        body.destroy();
      }
    }
  }

  async remove(key: string): Promise<void> {
    const command = new DeleteObjectCommand(this.#object(key));
    await this.#sendExplained((signal) => this.#client.send(command, signal));
  }

  /** All objects whose key begins so, in the order of their keys. */
  async *list(prefix: string): AsyncGenerator<StoredObject> {
    for await (const { Contents = [] } of this.#pages(prefix))
      for (const { Key = '', LastModified } of Contents) yield { key: Key, modifiedMs: LastModified?.getTime() ?? 0 };
  }

  /** The names between the prefix and the next slash. */
  async *folders(prefix: string): AsyncGenerator<string> {
    for await (const { CommonPrefixes = [] } of this.#pages(prefix, '/'))
      for (const { Prefix = '' } of CommonPrefixes) yield Prefix.slice(prefix.length, -1);
  }

  /** Begins an object that is written in parts. @returns the id of the upload */
  async beginParts(key: string): Promise<string> {
    const command = new CreateMultipartUploadCommand(this.#object(key));
    const { UploadId = '' } = await this.#sendExplained((signal) => this.#client.send(command, signal));
    return UploadId;
  }

  /** @returns its ETag; undefined: there is no such upload */
  async putPart(key: string, upload: string, { number, body }: { number: number; body: Uint8Array }) {
    const of = { ...this.#object(key), UploadId: upload, PartNumber: number };
    const command = new UploadPartCommand({ ...of, Body: body });
    const { ETag = '' } = (await this.#unlessMissing((signal) => this.#client.send(command, signal), LARGE_MS)) ?? {};
    return ETag === '' ? undefined : ETag;
  }

  /** @returns false: there is no such upload */
  async joinParts(key: string, upload: string, parts: readonly Part[]): Promise<boolean> {
    const Parts = parts.map(([PartNumber, ETag]) => ({ PartNumber, ETag }));
    const of = { ...this.#object(key), UploadId: upload, MultipartUpload: { Parts } };
    const command = new CompleteMultipartUploadCommand(of);
    return (await this.#unlessMissing((signal) => this.#patient.send(command, signal), JOIN_MS)) !== undefined;
  }

  async abortParts(key: string, upload: string): Promise<void> {
    const command = new AbortMultipartUploadCommand({ ...this.#object(key), UploadId: upload });
    await this.#unlessMissing((signal) => this.#client.send(command, signal));
  }

  /** Not the paginators of the SDK: some servers name a next page after the last one. */
  async *#pages(prefix: string, delimiter?: string): AsyncGenerator<ListObjectsV2Output> {
    const of = { Bucket: this.#place.bucket, Prefix: prefix, Delimiter: delimiter, MaxKeys: this.#pageSize };
    for (let token: string | undefined, isLast = false; !isLast; ) {
      const command = new ListObjectsV2Command({ ...of, ContinuationToken: token });
      const page = await this.#sendExplained((signal) => this.#client.send(command, signal));
      yield page;
      token = page.NextContinuationToken;
      isLast = page.IsTruncated !== true || token === undefined;
    }
  }

  #object(key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#place.bucket, Key: key };
  }

  async #unlessMissing<T>(send: Send<T>, limitMs?: number): Promise<T | undefined> {
    try {
      return await this.#send(send, limitMs);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw this.#explained(error);
    }
  }

  #sendExplained<T>(send: Send<T>): Promise<T> {
    return this.#send(send).catch((error: unknown) => {
      throw this.#explained(error);
    });
  }

  async #send<T>(send: Send<T>, limitMs = this.#smallMs): Promise<T> {
    // AbortSignal.timeout would also end the content that comes with the answer.
    const ending = new AbortController();
    const timer = setTimeout(() => ending.abort(), limitMs);
    try {
      return await send({ abortSignal: ending.signal });
    } finally {
      clearTimeout(timer);
    }
  }

  #limitFor({ length }: Uint8Array | string): number {
    return length > 65_536 ? LARGE_MS : this.#smallMs;
  }

  #explained(error: unknown): unknown {
    const { bucket, endpoint } = this.#place;
    return refusalOf(error, `the bucket "${bucket}"${endpoint === undefined ? '' : ` at ${endpoint}`}`);
  }
}

type Send<T> = (options: { readonly abortSignal: AbortSignal }) => Promise<T>;

/** What was read from a socket, when all have seen it: the parser of HTTP has copied it. */
function freeSoon(bytes: Uint8Array): void {
  process.nextTick(free, bytes);
}
