import { type Context, context, type Span, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { attribute } from './conventions.ts';
import type { PresetIdGenerator } from './ids.ts';

/** How a turn's trace is tied to the span that sent its message. */
export type QueueTraces = 'link' | 'parent';

/** The recording of spans in this process. */
export interface Tracing {
  readonly tracer: Tracer;
  readonly ids: PresetIdGenerator;
  readonly queue: QueueTraces;
  /** Of the traces that begin here, those that are recorded: from 0 to 1. */
  readonly share: number;
}

/** As OpenTelemetry's own registry, one for the process: unset, nothing is recorded, and each span costs a look here. */
let current: Tracing | undefined;

/** Whether spans are recorded. */
export function isTracing(): boolean {
  return current !== undefined;
}

export function tracing(): Tracing | undefined {
  return current;
}

export function setTracing(to: Tracing | undefined): void {
  current = to;
}

/** Runs something as a part of the span. */
export function runInSpan<T>(span: Span, run: () => T, parent: Context = context.active()): T {
  return context.with(trace.setSpan(parent, span), run);
}

/** The same, and ends the span with it. */
export async function runAndEndSpan<T>(span: Span, run: () => Promise<T>, parent?: Context): Promise<T> {
  try {
    return await runInSpan(span, run, parent);
  } catch (error) {
    recordError(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/** Of an error no more than its kind: its text may be secret. */
export function recordError(span: Span, error: unknown): void {
  span.setAttribute(attribute.error, error instanceof Error ? error.name : 'Error');
  span.setStatus({ code: SpanStatusCode.ERROR });
}
