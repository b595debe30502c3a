import type { IncomingMessage } from 'node:http';
import type { FileStore } from '@switchyard/files';
import { A2AError, httpStatuses } from '@switchyard/protocol';
import type { DataStore, Server } from '@tus/server';
import type { Exchange } from '../exchange/exchange.ts';
import { toA2AError } from '../telemetry/failures.ts';
import { BodyBroken, bodyOf } from './body.ts';
import { factsOf } from './upload-facts.ts';
import { UploadLocks } from './upload-locks.ts';

type Tus = typeof import('@tus/server');

/** Whose uploads a request may reach, and the URL of a file. */
interface UploadRequest {
  readonly owner: string;
  readonly urlOf: (id: string) => string;
  readonly onError: (error: A2AError) => void;
}

/** The request that brings a piece of an upload. */
interface Piece {
  readonly req: IncomingMessage;
  /** Aborted when another request for the same upload waits: the piece ends with what has come. */
  readonly ending: AbortController;
  readonly onStored: (bytes: number) => void;
}

/** What became of a request for a file. */
export interface Served {
  /** ok, or the code of an error. */
  readonly outcome: string;
  readonly bytes: number;
}

/** Whether a request speaks the protocol tus (tus.io), version 1.0. */
export function isTus({ req }: Exchange): boolean {
  return req.headers['tus-resumable'] !== undefined;
}

/**
 * Resumable uploads: creation, core and termination of tus 1.0. Each request brings a piece, and may break off: what has
 * arrived is kept, and the client goes on after it, also at another gateway.
 */
export class TusUploads {
  readonly #files: FileStore;
  /** Loaded with the first request. */
  #tus: Promise<Tus> | undefined;
  readonly #locker = new UploadLocks();

  constructor(files: FileStore) {
    this.#files = files;
  }

  /** @returns the bytes that were stored, and the code of an error */
  async serve({ req, res }: Exchange, request: UploadRequest): Promise<Served> {
    let code: string | undefined;
    let bytes = 0;
    this.#tus ??= import('@tus/server');
    const tus = await this.#tus;
    const onError = (error: A2AError): void => {
      if (error.retryAfterSeconds !== undefined) res.setHeader('Retry-After', error.retryAfterSeconds);
      code = error.code;
      request.onError(error);
    };
    const onStored = (stored: number): void => {
      bytes = stored;
    };
    const ending = new AbortController();
    const server = this.#serverFor(tus, { ...request, onError, onStored, req, ending });
    // Without the body: the library would make web streams of it, which doubled the processor time of an upload.
    const asked = new Request(new URL(req.url ?? '', 'http://gateway'), {
      method: req.method ?? '',
      headers: headersOf(req),
    });
    const answer = await server.handleWeb(asked);
    for (const [name, text] of answer.headers) res.setHeader(name, text);
    res.writeHead(answer.status).end(await answer.text());
    return { outcome: answer.status < 400 ? 'ok' : (code ?? 'InvalidRequest'), bytes };
  }

  /** A server knows no callers: each request has its own one, which sees only the files of the caller. */
  #serverFor(tus: Tus, given: UploadRequest & Piece): Server {
    const files = this.#files;
    const { owner, urlOf, onError, ending } = given;
    return new tus.Server({
      path: '/files',
      datastore: this.#dataStore(tus, given),
      locker: { newLock: (id) => this.#locker.newLock(id, () => ending.abort()) },
      maxSize: files.limits.maxFileBytes,
      allowedOrigins: () => false,
      generateUrl: (_, { id }) => urlOf(id),
      getFileIdFromRequest: (_, last) => last,
      namingFunction: ({ headers }, metadata = {}) => {
        const facts = factsOf({ filename: metadata.filename, mediaType: metadata.filetype });
        return files.begin(owner, facts, Number(headers.get('upload-length')));
      },
      onResponseError: (_, thrown) => {
        // The library's answers to wrong requests.
        if (!(thrown instanceof Error)) return undefined;
        const error = toA2AError(thrown);
        onError(error);
        return { status_code: httpStatuses[error.code], body: `${error.message}\n` };
      },
    });
  }

  #dataStore(
    { DataStore: Base, ERRORS, Upload }: Tus,
    { owner, req, ending, onStored }: UploadRequest & Piece,
  ): DataStore {
    const files = this.#files;
    class PrincipalUploads extends Base {
      override extensions = ['creation', 'creation-with-upload', 'termination'];

      /** `namingFunction` has created it. Nothing more comes for an empty file. */
      override async create(upload: InstanceType<typeof Upload>) {
        if (upload.size === 0) await files.append(owner, upload.id, { offset: 0, content: bodyOf(req) });
        return upload;
      }

      override async write(_: unknown, id: string, offset: number): Promise<number> {
        try {
          const end = await files.append(owner, id, { offset, content: bodyOf(req, ending.signal) });
          onStored(end - offset);
          return end;
        } catch (error) {
          throw error instanceof BodyBroken ? ERRORS.ABORTED : error;
        }
      }

      override async getUpload(id: string) {
        const upload = await files.upload(owner, id);
        if (!upload) throw fileNotFound(id);
        return new Upload({ id, size: upload.sizeBytes, offset: upload.offset });
      }

      override async remove(id: string): Promise<void> {
        await files.delete(owner, id);
      }
    }
    return new PrincipalUploads();
  }
}

function headersOf({ headersDistinct }: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, texts = []] of Object.entries(headersDistinct))
    for (const text of texts) headers.append(name, text);
  return headers;
}

/** No such file of this caller: does not reveal whether another caller has it. */
export function fileNotFound(fileId: string): A2AError {
  const message = 'The file does not exist or is not accessible';
  return new A2AError('NotFound', message, { metadata: { fileId: fileId.slice(0, 64) } });
}
