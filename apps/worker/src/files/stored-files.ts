import { AgentError, type FileContent, type FileOptions, RetryableError, TurnMisuseError } from '@switchyard/agent';
import type { FilePort } from '@switchyard/agent/runtime';
import { FileRefused, type FileStore, fileIdIn } from '@switchyard/files';
import { AddressRefused, type GuardedClient, ResponseRefused, retryAfterMs } from '@switchyard/outgoing';
import type { Part } from '@switchyard/protocol';

interface FileDependencies {
  /** Unset: the deployment stores no files. */
  readonly local: FileStore | undefined;
  readonly client: Pick<GuardedClient, 'request'>;
  /** Of the gateway, which serves the files. */
  readonly publicUrl: string | undefined;
}

/** Whose files they are. */
interface FileOwner {
  /** The principal, as text. */
  readonly owner: string;
  readonly taskId: string;
  readonly agent: string;
}

/** What may be there later. */
const passingStatuses: readonly number[] = [408, 425, 429, 500, 502, 503, 504];

/** The files of a turn: those of its principal, and those that others have at their URLs. */
export class StoredFiles implements FilePort {
  readonly #dependencies: FileDependencies;
  readonly #owner: FileOwner;

  constructor(dependencies: FileDependencies, owner: FileOwner) {
    this.#dependencies = dependencies;
    this.#owner = owner;
  }

  async open(url: string, signal: AbortSignal): Promise<FileContent> {
    return (await this.openStored(url)) ?? this.#fetch(url, signal);
  }

  async openStored(url: string): Promise<FileContent | undefined> {
    const id = fileIdIn(url);
    const own = id === undefined ? undefined : await this.#dependencies.local?.open(this.#owner.owner, id);
    if (!own) return undefined;
    const { filename, mediaType, sizeBytes } = own.file;
    return { stream: ReadableStream.from(own.read()), filename, mediaType, sizeBytes };
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
      const { id } = await local.write(owner, content, { facts: { ...named, agent }, taskId });
      const base = publicUrl.endsWith('/') ? publicUrl : `${publicUrl}/`;
      return { url: new URL(`files/${id}`, base).href, ...named };
    } catch (error) {
      throw errorForAgent(error);
    }
  }

  async #fetch(url: string, signal: AbortSignal): Promise<FileContent> {
    try {
      const { status, headers, body } = await this.#dependencies.client.request(url, { signal });
      if (status < 200 || status > 299) {
        await body[Symbol.asyncIterator]().return?.();
        throw unreadable(status, retryAfterMs(headers['retry-after']));
      }
      const { 'content-type': mediaType, 'content-length': length } = headers;
      return {
        stream: ReadableStream.from(body),
        mediaType,
        sizeBytes: length === undefined ? undefined : Number(length),
      };
    } catch (error) {
      throw explained(error, signal);
    }
  }
}

function unreadable(status: number, retryAfter: number | undefined): Error {
  const message = `The file cannot be read: its server answers ${status}.`;
  return passingStatuses.includes(status)
    ? new RetryableError(message, { retryAfterMs: retryAfter })
    : new AgentError(message);
}

function explained(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted || error instanceof AgentError || error instanceof RetryableError) return error;
  // The reason would tell a client which addresses exist inside.
  if (error instanceof AddressRefused)
    return new AgentError('The file cannot be read: its URL is not at an allowed address.', { cause: error });
  if (error instanceof ResponseRefused)
    return new AgentError(`The file cannot be read: ${error.message}.`, { cause: error });
  return new RetryableError('The file cannot be read: its server does not answer.', { cause: error });
}

/** Limits of a file are the author's to respect; others pass. */
export function errorForAgent(error: unknown): unknown {
  if (!(error instanceof FileRefused)) return error;
  const options = { cause: error };
  if (error.reason === 'too-large') return new TurnMisuseError(error.message, options);
  if (error.reason === 'over-quota') return new AgentError(error.message, options);
  return new RetryableError(error.message, options);
}
