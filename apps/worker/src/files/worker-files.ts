import type { FilePort } from '@switchyard/agent/runtime';
import { type FileStore, filesAt, hasLargeRaw, keepFilesOf, moveRaw } from '@switchyard/files';
import { AddressPolicy, type AddressPolicySettings, type GuardedClient, guardedClient } from '@switchyard/outgoing';
import { type Message, type Part, type Principal, withContents } from '@switchyard/protocol';
import { type OpenTurn, principalKey } from '@switchyard/store';
import type { Emit } from '../telemetry/events.ts';
import { errorForAgent } from './error-for-agent.ts';
import { restoredParts } from './restored-parts.ts';
import { fileUrl, StoredFiles } from './stored-files.ts';

/** Where files are, and what is removed when. */
export interface FileSettings {
  /** Of their folder or bucket. */
  readonly url: string;
  /** They are encrypted with the first secret, and decrypted with any of them. None: they are stored in clear. */
  readonly secrets?: readonly string[];
  readonly maxFileBytes: number;
  readonly maxBytesPerPrincipal: number;
  /** What parts have as `raw` with more bytes is stored there. Unset: it stays in its task. */
  readonly inlineBytes?: number | undefined;
  /** Bytes that a turn gets as `raw` of what was stored so; parts beyond have URLs. Default: 5 MiB. */
  readonly maxRawBytes?: number | undefined;
  /** How long a file is kept that no message has referred to. */
  readonly unusedMs: number;
  readonly sweepEveryMs: number;
}

interface WorkerFilesSettings {
  /** Unset: the deployment stores no files. */
  readonly files?: FileSettings | undefined;
  /** Which addresses of others may be read. */
  readonly addresses: AddressPolicySettings;
  /** Of the gateway, which serves the files. */
  readonly publicUrl?: string | undefined;
  readonly emit: Emit;
}

/** Whose parts are written. */
interface PartsWriter {
  readonly principal: Principal;
  readonly taskId: string;
  /** Unset: they are a message's. */
  readonly agent?: string;
}

/** Without FILES_URL, of a stranger's file. */
const DEFAULT_MAX_BYTES = 1024 ** 3;
const DEFAULT_RAW_BYTES = 5 * 1024 ** 2;
/** For a whole file of a stranger; a turn usually has a shorter time. */
const DOWNLOAD_MS = 3_600_000;
/** To connect to its server, and until the next bytes. */
const IDLE_MS = 30_000;

/** The files of all turns of a worker. */
export class WorkerFiles {
  /** Unset: the deployment stores no files. */
  readonly local: FileStore | undefined;
  readonly publicUrl: string | undefined;
  readonly client: GuardedClient;
  /** Bytes of `raw` that a message, or a reply, gets back. */
  readonly maxRawBytes: number;
  readonly #inlineBytes: number;
  readonly #emit: Emit;

  constructor({ files, addresses, publicUrl, emit }: WorkerFilesSettings) {
    this.local = files && filesAt(files.url, files);
    this.publicUrl = publicUrl;
    this.#inlineBytes = files?.inlineBytes ?? Number.POSITIVE_INFINITY;
    this.maxRawBytes = files?.maxRawBytes ?? DEFAULT_RAW_BYTES;
    this.#emit = emit;
    this.client = guardedClient({
      policy: new AddressPolicy(addresses),
      timeoutMs: DOWNLOAD_MS,
      idleMs: IDLE_MS,
      maxBytes: files?.maxFileBytes ?? DEFAULT_MAX_BYTES,
    });
  }

  of({ start: { principal, taskId, agent, attempt } }: OpenTurn): FilePort {
    return new StoredFiles(this, { owner: principalKey(principal), taskId, agent, attempt });
  }

  /** Keeps the files that the parts refer to as long as the task exists. Undefined: there are none. */
  keep(principal: Principal, parts: readonly Part[], taskId: string): Promise<void> | undefined {
    const kept = keepFilesOf(this.local, { owner: principalKey(principal), parts, taskId });
    return kept?.catch((error: unknown) => {
      throw errorForAgent(error);
    });
  }

  /** Whether `move` has something to do. */
  hasLargeRaw(parts: readonly Part[]): boolean {
    return this.local !== undefined && this.publicUrl !== undefined && hasLargeRaw(parts, this.#inlineBytes);
  }

  /**
   * Stores the large `raw` of parts as files, which are kept as long as the task exists. If the store is away, they stay
   * as they are.
   */
  async move(parts: readonly Part[], { principal, taskId, agent }: PartsWriter): Promise<Part[]> {
    const { local, publicUrl } = this;
    if (!local || publicUrl === undefined) return [...parts];
    const of = { owner: principalKey(principal), keeper: { taskId }, agent, inlineBytes: this.#inlineBytes };
    const { ids, refused } = await moveRaw(local, parts, of);
    if (refused) this.#emit({ kind: 'raw-not-moved', taskId, err: refused });
    return withContents(parts, ids, (id) => ({ url: fileUrl(publicUrl, id) }));
  }

  /** A message with what it had as `raw` before that was moved. Undefined: it had nothing. */
  restore(principal: Principal, message: Message): Promise<Message> | undefined {
    const of = { owner: principalKey(principal), maxBytes: this.maxRawBytes };
    return restoredParts(this.local, message.parts, of)?.then((parts) => ({ ...message, parts }));
  }

  stop(): Promise<void> {
    return this.client.destroy();
  }
}
