import { FileRefused, type FileStore } from '@switchyard/files';
import { A2AError, httpStatuses } from '@switchyard/protocol';
import type { DataStore, MemoryLocker, Server } from '@tus/server';
import type { Exchange } from '../exchange/exchange.ts';
import { toA2AError } from '../telemetry/failures.ts';
import { factsOf } from './upload-facts.ts';

type Tus = typeof import('@tus/server');

/** Whose uploads a request may reach, and the URL of a file. */
interface UploadRequest {
  readonly owner: string;
  readonly urlOf: (id: string) => string;
  readonly onError: (error: A2AError) => void;
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
  #tus: Promise<{ readonly tus: Tus; readonly locker: MemoryLocker }> | undefined;

  constructor(files: FileStore) {
    this.#files = files;
  }

  async serve({ req, res }: Exchange, request: UploadRequest): Promise<void> {
    this.#tus ??= import('@tus/server').then((tus) => ({ tus, locker: new tus.MemoryLocker() }));
    const { tus, locker } = await this.#tus;
    const onError = (error: A2AError): void => {
      if (error.retryAfterSeconds !== undefined) res.setHeader('Retry-After', error.retryAfterSeconds);
      request.onError(error);
    };
    await this.#serverFor(tus, { ...request, onError, locker }).handle(req, res);
  }

  /** A server knows no callers: each request has its own one, which sees only the files of the caller. */
  #serverFor(tus: Tus, { owner, urlOf, onError, locker }: UploadRequest & { readonly locker: MemoryLocker }): Server {
    const files = this.#files;
    return new tus.Server({
      path: '/files',
      datastore: this.#dataStore(tus, owner),
      locker,
      maxSize: files.limits.maxFileBytes,
      allowedOrigins: () => false,
      generateUrl: (_, { id }) => urlOf(id),
      getFileIdFromRequest: (_, last) => last,
      namingFunction: ({ headers }, metadata = {}) => {
        const facts = factsOf({ filename: metadata.filename, mediaType: metadata.filetype });
        return files.begin(owner, facts, Number(headers.get('upload-length')));
      },
      onResponseError: (_, thrown) => {
        const isOurs = thrown instanceof Error;
        // The library's answers to wrong requests. Its only 5xx is that a lock was not free for 30 s.
        if (!isOurs && thrown.status_code < 500) return undefined;
        const error = toA2AError(
          isOurs ? thrown : new FileRefused('unavailable', 'Another request writes this upload'),
        );
        onError(error);
        return { status_code: httpStatuses[error.code], body: `${error.message}\n` };
      },
    });
  }

  #dataStore({ DataStore: Base, Upload }: Tus, owner: string): DataStore {
    const files = this.#files;
    class PrincipalUploads extends Base {
      override extensions = ['creation', 'creation-with-upload', 'termination'];

      /** `namingFunction` has created it. */
      override async create(upload: InstanceType<typeof Upload>) {
        return upload;
      }

      override write(content: AsyncIterable<Uint8Array>, id: string, offset: number): Promise<number> {
        return files.append(owner, id, { offset, content });
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

/** No such file of this caller: does not reveal whether another caller has it. */
export function fileNotFound(fileId: string): A2AError {
  const message = 'The file does not exist or is not accessible';
  return new A2AError('NotFound', message, { metadata: { fileId: fileId.slice(0, 64) } });
}
