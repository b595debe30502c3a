import type { CopiedBatch } from '@switchyard/operators';

export interface CopyPaceSettings {
  /** How long Redis keeps an ended task. */
  readonly retentionMs: number;
  /** How long after its end a task is copied. */
  readonly afterMs: number;
  /** The part of its time that a worker copies. Default: 0.05. */
  readonly share?: number | undefined;
}

const SHARE = 0.05;
/** The part of the time that Redis keeps a task for which copies may be late. The rest is for when PostgreSQL is away. */
const LATE = 0.1;
/** Time for two copying workers to be killed: a claim lasts 10 s more, and the next look is up to 5 s later. */
export const COPY_WITHIN_MS = 30_000;

/**
 * Turns and requests come first: a worker copies ended tasks for a small part of its time. Once they have waited long
 * enough, it copies as fast as it can, because Redis forgets them after its retention.
 */
export class CopyPace {
  readonly #mayBeLateMs: number;
  readonly #pausesOfBatch: number;
  /** When the pauses of all batches, of all shards, are over. */
  #freeAt = 0;

  constructor({ retentionMs, afterMs, share = SHARE }: CopyPaceSettings) {
    this.#mayBeLateMs = (retentionMs - afterMs - COPY_WITHIN_MS) * LATE;
    this.#pausesOfBatch = 1 / share - 1;
  }

  /** How long nothing is copied of the shard of this batch. @param nowMs of a clock that never goes back */
  pauseMs({ tookMs, behindMs }: CopiedBatch, nowMs = performance.now()): number {
    const leftMs = this.#mayBeLateMs - behindMs;
    if (leftMs <= 0) return 0;
    const freeAt = Math.max(this.#freeAt, nowMs) + tookMs * this.#pausesOfBatch;
    const pauseMs = Math.min(freeAt - nowMs, leftMs);
    this.#freeAt = nowMs + pauseMs;
    return pauseMs;
  }
}
