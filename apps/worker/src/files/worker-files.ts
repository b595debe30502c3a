import type { FilePort } from '@switchyard/agent/runtime';
import { type FileStore, filesAt, keepFilesOf } from '@switchyard/files';
import { AddressPolicy, type AddressPolicySettings, type GuardedClient, guardedClient } from '@switchyard/outgoing';
import type { Part, Principal } from '@switchyard/protocol';
import { type OpenTurn, principalKey } from '@switchyard/store';
import { errorForAgent, StoredFiles } from './stored-files.ts';

/** Where files are, and what is removed when. */
export interface FileSettings {
  /** Of their folder or bucket. */
  readonly url: string;
  /** They are encrypted with the first secret, and decrypted with any of them. None: they are stored in clear. */
  readonly secrets?: readonly string[];
  readonly maxFileBytes: number;
  readonly maxBytesPerPrincipal: number;
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
}

/** Without FILES_URL, of a stranger's file. */
const DEFAULT_MAX_BYTES = 1024 ** 3;
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

  constructor({ files, addresses, publicUrl }: WorkerFilesSettings) {
    this.local = files && filesAt(files.url, files);
    this.publicUrl = publicUrl;
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

  stop(): Promise<void> {
    return this.client.destroy();
  }
}
