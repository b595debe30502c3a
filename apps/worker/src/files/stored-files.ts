import { type FileContent, type FileOptions, TurnMisuseError } from '@switchyard/agent';
import type { FileAtUrl, FilePort } from '@switchyard/agent/runtime';
import { type FileStore, fileIdIn, type OpenFile } from '@switchyard/files';
import { type GuardedClient, retryAfterMs } from '@switchyard/outgoing';
import type { Part } from '@switchyard/protocol';
import { errorForAgent } from './error-for-agent.ts';
import { restoredParts } from './restored-parts.ts';
import { nameOfFile, unreadableAnswer, unreadableFile } from './unreadable-file.ts';

interface FileDependencies {
  /** Unset: the deployment stores no files. */
  readonly local: FileStore | undefined;
  readonly client: Pick<GuardedClient, 'request'>;
  /** Of the gateway, which serves the files. */
  readonly publicUrl: string | undefined;
  /** Bytes of `raw` that a reply gets back. */
  readonly maxRawBytes: number;
}

/** Whose files they are. */
interface FileOwner {
  /** The principal, as text. */
  readonly owner: string;
  readonly taskId: string;
  readonly agent: string;
  /** Of the turn, from 1. */
  readonly attempt: number;
}

/** The files of a turn: those of its principal, and those that others have at their URLs. */
export class StoredFiles implements FilePort {
  readonly #dependencies: FileDependencies;
  readonly #owner: FileOwner;

  constructor(dependencies: FileDependencies, owner: FileOwner) {
    this.#dependencies = dependencies;
    this.#owner = owner;
  }

  async open(file: FileAtUrl, signal: AbortSignal): Promise<FileContent> {
    return (await this.openStored(file.url)) ?? this.#fetch(file, signal);
  }

  async openStored(url: string): Promise<FileContent | undefined> {
    const id = fileIdIn(url);
    if (id === undefined) return undefined;
    try {
      const own = await this.#dependencies.local?.open(this.#owner.owner, id);
      if (!own) return undefined;
      const { filename, mediaType, sizeBytes } = own.file;
      return { stream: streamForAgent(own), filename, mediaType, sizeBytes };
    } catch (error) {
      throw errorForAgent(error);
    }
  }

  restoreRaw(parts: readonly Part[]): Promise<Part[]> | undefined {
    const { local, maxRawBytes: maxBytes } = this.#dependencies;
    return restoredParts(local, parts, { owner: this.#owner.owner, maxBytes });
  }

  async write(content: AsyncIterable<Uint8Array>, { name, mediaType }: FileOptions): Promise<Part> {
    const { local, publicUrl } = this.#dependencies;
    if (!local)
      throw new TurnMisuseError(
        'The deployment stores no files: set FILES_URL for gateways and workers (docs/files.md).',
      );
    if (publicUrl === undefined)
      throw new TurnMisuseError(
        'A file needs the address at which clients reach the gateway: set PUBLIC_URL for the worker, as for the gateway.',
      );
    const { owner, taskId, agent } = this.#owner;
    const named = { ...(name !== undefined && { filename: name }), mediaType: mediaType ?? 'application/octet-stream' };
    try {
      const { id } = await local.write(owner, content, { facts: { ...named, agent }, keeper: { taskId } });
      return { url: fileUrl(publicUrl, id), ...named };
    } catch (error) {
      throw errorForAgent(error, name);
    }
  }

  async #fetch(at: FileAtUrl, signal: AbortSignal): Promise<FileContent> {
    const asked = { name: nameOfFile(at), attempt: this.#owner.attempt };
    const explained = (error: unknown): unknown => (signal.aborted ? error : unreadableFile(asked, error));
    try {
      const { status, headers, body } = await this.#dependencies.client.request(at.url, { signal });
      if (status < 200 || status > 299) {
        await body[Symbol.asyncIterator]().return?.();
        throw unreadableAnswer(asked, status, retryAfterMs(headers['retry-after']));
      }
      const { 'content-type': mediaType, 'content-length': length } = headers;
      return {
        stream: ReadableStream.from(explaining(body, explained)),
        mediaType,
        sizeBytes: length === undefined ? undefined : Number(length),
      };
    } catch (error) {
      throw explained(error);
    }
  }
}

/** @param publicUrl of the gateway, which serves the files */
export function fileUrl(publicUrl: string, id: string): string {
  const base = publicUrl.endsWith('/') ? publicUrl : `${publicUrl}/`;
  return new URL(`files/${id}`, base).href;
}

/** The chunks. Errors between them are explained. */
async function* explaining(
  body: AsyncIterable<Uint8Array>,
  explained: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw explained(error);
  }
}

/**
 * A file of this deployment, whose place may be away while an agent reads. Not from a generator, which would not close a
 * file of which nothing was read. Each chunk is copied: an agent may keep it.
 */
function streamForAgent(file: OpenFile): ReadableStream<Uint8Array> {
  const chunks = file.chunks()[Symbol.asyncIterator]();
  const close = async (): Promise<void> => {
    await chunks.return?.();
    await file.close();
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await chunks.next();
          if (!done) return controller.enqueue(Buffer.from(value));
          await close();
          controller.close();
        } catch (error) {
          await close();
          throw errorForAgent(error);
        }
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  );
}
