import { type Context, context, ROOT_CONTEXT, type SpanContext, TraceFlags, trace } from '@opentelemetry/api';
import type { MessageTrace } from '@switchyard/protocol';
import { isTracing } from './tracing.ts';

/** W3C Trace Context: version 00 and compatible ones. */
const traceParent = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;

/** Ignores an invalid value, as the recommendation demands. */
export function traceParentIn(value: unknown): string | undefined {
  return typeof value === 'string' && traceParent.test(value) ? value : undefined;
}

export function traceParentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags & TraceFlags.SAMPLED ? '01' : '00'}`;
}

/** The span that runs here, or that the work here comes from. */
export function activeTraceParent(): string | undefined {
  const active = trace.getSpanContext(context.active());
  return active && traceParentOf(active);
}

/** The trace that the work here belongs to. */
export function activeTraceId(): string | undefined {
  return trace.getSpanContext(context.active())?.traceId;
}

/** What a sender without a span of its own stores: the span that it works for, or that there is none. */
export function messageTrace(parent: string | undefined, isAwaited: boolean): MessageTrace | undefined {
  if (parent === undefined) return isTracing() ? {} : undefined;
  return { parent, ...(isAwaited && { isAwaited }) };
}

/** Whether the sender of a valid traceparent records its trace. */
export function isRecorded(parent: string): boolean {
  return (spanContextOf(parent).traceFlags & TraceFlags.SAMPLED) !== 0;
}

/** @param parent a valid traceparent, of another process */
export function spanContextOf(parent: string): SpanContext {
  const [, traceId = '', spanId = '', flags = ''] = parent.split('-');
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
}

/** The context of work on behalf of a span of another process. */
export function contextOf(parent: string | undefined): Context {
  return parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, spanContextOf(parent));
}
