import type { Archiver, CopiedBatch, Ops } from '@switchyard/operators';
import { CopyPace, type CopyPaceSettings } from '../pace/copy-pace.ts';
import type { Emit } from '../telemetry/events.ts';
import { Poller } from '../timing/timing.ts';

export interface ArchiveSettings extends Pick<CopyPaceSettings, 'afterMs' | 'share'> {
  /** How long after its end a task is kept there; 0: for ever. */
  readonly retentionMs: number;
  /** Pause between two looks. Default: 5 s. */
  readonly everyMs?: number;
}

interface ArchivingDependencies extends Pick<CopyPaceSettings, 'retentionMs'> {
  readonly archiver: Archiver;
  readonly ops: Pick<Ops, 'isShortOfRoom'>;
  readonly emit: Emit;
}

const EVERY_MS = 5_000;

/** Copies ended tasks to the archive, and makes it forget old ones, on a timer. */
export class Archiving {
  readonly #settings: ArchiveSettings & { readonly everyMs: number };
  readonly #dependencies: ArchivingDependencies;
  readonly #pace: CopyPace;
  readonly #poller: Poller;
  readonly #stopping = new AbortController();

  constructor(settings: ArchiveSettings, dependencies: ArchivingDependencies) {
    const { afterMs, share, everyMs = EVERY_MS } = settings;
    const { retentionMs, emit } = dependencies;
    this.#settings = { ...settings, everyMs };
    this.#dependencies = dependencies;
    this.#pace = new CopyPace({ retentionMs, afterMs, share });
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
    const { archiver, emit } = this.#dependencies;
    const pauseMs = (batch: CopiedBatch): Promise<number> => this.#pauseMs(batch);
    const { copied, behindMs, damaged } = await archiver.run({ ...this.#settings, signal, pauseMs });
    for (const { taskId, error: err } of damaged) emit({ kind: 'task-not-archived', taskId, err });
    if (copied > 0) emit({ kind: 'archived', copied, behindMs });
    const expired = retentionMs > 0 ? await archiver.expire(retentionMs, signal) : 0;
    if (expired > 0) emit({ kind: 'archive-expired', count: expired });
  }

  /** None if Redis is short of room: what is not copied cannot go. */
  async #pauseMs(batch: CopiedBatch): Promise<number> {
    return (await this.#dependencies.ops.isShortOfRoom()) ? 0 : this.#pace.pauseMs(batch);
  }
}
