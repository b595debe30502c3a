import { hash, randomBytes } from 'node:crypto';

export interface SpanIds {
  /** Used by the first span of a trace; a child has the trace id of its parent. */
  readonly traceId: string;
  readonly spanId: string;
}

/** The trace id of a turn. It is derived from task and message, so that all attempts are in one trace. */
export function turnTraceId(taskId: string, messageId: string): string {
  return hash('sha256', `${taskId} ${messageId}`).slice(0, 32);
}

/** An id that another process can derive too, to end the span if the process that began it died. */
export function derivedSpanId(...names: readonly (string | number)[]): string {
  return hash('sha256', names.join(' ')).slice(0, 16);
}

/** An OpenTelemetry id generator: random ids, except for spans started in `withIds`. */
export class PresetIdGenerator {
  #given: SpanIds | undefined;

  /** Starts a span with these ids. @param start starts one span, synchronously */
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
