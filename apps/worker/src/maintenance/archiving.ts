import type { Archiver } from '@switchyard/operators';
import type { Emit } from '../telemetry/events.ts';
import { Poller } from '../timing/timing.ts';

export interface ArchiveSettings {
  /** How long after its end a task is copied. */
  readonly afterMs: number;
  /** How long after its end a task is kept there; 0: for ever. */
  readonly retentionMs: number;
  /** Pause between two looks. Default: 5 s. */
  readonly everyMs?: number;
}

const EVERY_MS = 5_000;

/** Copies ended tasks to the archive, and makes it forget old ones, on a timer. */
export class Archiving {
  readonly #settings: Required<ArchiveSettings>;
  readonly #archiver: Archiver;
  readonly #emit: Emit;
  readonly #poller: Poller;
  readonly #stopping = new AbortController();

  constructor(settings: ArchiveSettings, archiver: Archiver, emit: Emit) {
    const { everyMs = EVERY_MS } = settings;
    this.#settings = { ...settings, everyMs };
    this.#archiver = archiver;
    this.#emit = emit;
    const onError = (err: unknown): void => emit({ kind: 'error', where: 'archive', err });
    this.#poller = new Poller({ everyMs, run: () => this.#run(), onError });
  }

  start(): void {
    this.#poller.start();
    this.#poller.request();
  }

  /** Waits for the tasks that are being copied. */
  stop(): Promise<void> {
    this.#stopping.abort();
    return this.#poller.stop();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const { retentionMs } = this.#settings;
    const { copied, behindMs, damaged } = await this.#archiver.run({ ...this.#settings, signal });
    for (const { taskId, error: err } of damaged) this.#emit({ kind: 'task-not-archived', taskId, err });
    if (copied > 0) this.#emit({ kind: 'archived', copied, behindMs });
    const expired = retentionMs > 0 ? await this.#archiver.expire(retentionMs, signal) : 0;
    if (expired > 0) this.#emit({ kind: 'archive-expired', count: expired });
  }
}
