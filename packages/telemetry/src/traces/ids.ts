import { hash, randomBytes } from 'node:crypto';

export interface SpanIds {
  /** Of the trace that a span begins; a child has its parent's. */
  readonly traceId: string;
  readonly spanId: string;
}

/** All attempts at a message are one trace: its id follows from task and message. */
export function turnTraceId(taskId: string, messageId: string): string {
  return hash('sha256', `${taskId} ${messageId}`).slice(0, 32);
}

/** A span that another process may have to end, when the one that began it has died. */
export function derivedSpanId(...names: readonly (string | number)[]): string {
  return hash('sha256', names.join(' ')).slice(0, 16);
}

/** Random ids, but for spans that were given theirs. */
export class PresetIdGenerator {
  #given: SpanIds | undefined;

  /** @param start starts one span, at once */
  withIds<T>(ids: SpanIds, start: () => T): T {
    this.#given = ids;
    try {
      return start();
    } finally {
      this.#given = undefined;
    }
  }

  generateTraceId(): string {
    return this.#given?.traceId ?? randomBytes(16).toString('hex');
  }

  generateSpanId(): string {
    return this.#given?.spanId ?? randomBytes(8).toString('hex');
  }
}
