import type { Turn } from '@switchyard/agent';
import { outputKey } from './briefing.ts';
import { readable, wholeLength } from './output-text.ts';

export interface OutputUpdatesOptions {
  readonly runId: string;
  readonly everyMs: number;
}

/**
 * Publishes a program's output as working updates: each has the output since the one before, at most one per `everyMs`.
 * Their metadata has the run and the range of bytes, so that an attempt that takes the program over resumes after the
 * last update in the history.
 */
export class OutputUpdates {
  /** Position in the output where the next chunk begins, in bytes. */
  position: number;
  readonly #turn: Turn;
  readonly #options: OutputUpdatesOptions;
  #pending = Buffer.alloc(0);
  #publishedAt = 0;
  #publishing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(turn: Turn, options: OutputUpdatesOptions) {
    this.#turn = turn;
    this.#options = options;
    this.position = publishedBytes(turn, options.runId);
  }

  add(chunk: Buffer): void {
    this.position += chunk.length;
    this.#pending = Buffer.concat([this.#pending, chunk]);
    const dueMs = this.#publishedAt + this.#options.everyMs - Date.now();
    this.#timer ??= setTimeout(() => this.#publish(wholeLength(this.#pending)), Math.max(dueMs, 0));
  }

  /** Publishes the rest. */
  async flush(): Promise<void> {
    this.#publish(this.#pending.length);
    await this.#publishing;
  }

  /** Publishes nothing more. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #publish(length: number): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = readable(this.#pending.subarray(0, length));
    if (!text.trim()) return;
    const from = this.position - this.#pending.length;
    this.#pending = this.#pending.subarray(length);
    this.#publishedAt = Date.now();
    const bytes = [from, from + length];
    const metadata = { [outputKey]: { run: this.#options.runId, bytes } };
    // The turn's signal and result have the error, and `flush` rejects with it.
    this.#publishing = this.#turn.working({ parts: [{ text }], metadata });
  }
}

/** Number of bytes of the run's output that an earlier attempt has published in the history. */
function publishedBytes({ history }: Turn, runId: string): number {
  return history.reduce((end, { metadata }) => Math.max(end, positionIn(metadata?.[outputKey], runId)), 0);
}

function positionIn(value: unknown, runId: string): number {
  if (typeof value !== 'object' || value === null || !('run' in value) || value.run !== runId) return 0;
  const end = 'bytes' in value && Array.isArray(value.bytes) ? Number(value.bytes[1]) : 0;
  return Number.isFinite(end) ? end : 0;
}
