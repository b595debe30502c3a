import { type Context, context, type Span, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { attribute } from './conventions.ts';
import type { PresetIdGenerator } from './ids.ts';

/** How a turn relates to the span that sent its message: linked to it, or its child. */
export type QueueTraces = 'link' | 'parent';

/** Records the spans of this process. */
export interface Tracing {
  readonly tracer: Tracer;
  readonly ids: PresetIdGenerator;
  readonly queue: QueueTraces;
  /** Share of the traces begun by this process that are recorded, from 0 to 1. */
  readonly share: number;
}

/** One per process, like OpenTelemetry's global registry. Unset: nothing is recorded. */
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

/** Runs a function with the span as the active one. */
export function runInSpan<T>(span: Span, run: () => T, parent: Context = context.active()): T {
  return context.with(trace.setSpan(parent, span), run);
}

/** The same, and ends the span when the function ends. */
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

/** Marks the span as failed, with the name of the error only: its message may contain secrets. */
export function recordError(span: Span, error: unknown): void {
  span.setAttribute(attribute.error, error instanceof Error ? error.name : 'Error');
  span.setStatus({ code: SpanStatusCode.ERROR });
}
