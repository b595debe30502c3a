import {
  type Context,
  context,
  createTraceState,
  ROOT_CONTEXT,
  type SpanContext,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import type { MessageTrace, TraceContext } from '@switchyard/protocol';
import { isTracing } from './tracing.ts';

/** W3C Trace Context: version 00 and compatible ones. */
const traceParent = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;

/** Members that a `tracestate` may have; the API would turn the order of a longer one round. */
const MOST_MEMBERS = 32;

/** Ignores what is not valid, as the recommendation demands: a `tracestate` with more than 512 characters, too. */
export function traceContextIn(traceparent: unknown, tracestate?: unknown): TraceContext | undefined {
  if (typeof traceparent !== 'string' || !traceParent.test(traceparent)) return undefined;
  const isList = typeof tracestate === 'string' && tracestate.split(',', MOST_MEMBERS + 1).length <= MOST_MEMBERS;
  const state = isList && createTraceState(tracestate).serialize();
  return { parent: traceparent, ...(state && { state }) };
}

export function traceContextOf({ traceId, spanId, traceFlags, traceState }: SpanContext): TraceContext {
  const parent = `00-${traceId}-${spanId}-${traceFlags & TraceFlags.SAMPLED ? '01' : '00'}`;
  const state = traceState?.serialize();
  return { parent, ...(state && { state }) };
}

/** The span that runs here, or that the work here comes from. */
export function activeTraceContext(): TraceContext | undefined {
  const active = trace.getSpanContext(context.active());
  return active && traceContextOf(active);
}

/** The trace that the work here belongs to. */
export function activeTraceId(): string | undefined {
  return trace.getSpanContext(context.active())?.traceId;
}

/** What a sender without a span of its own stores: the span that it works for, or that there is none. */
export function messageTrace(sender: TraceContext | undefined, isAwaited: boolean): MessageTrace | undefined {
  if (sender === undefined) return isTracing() ? {} : undefined;
  return { ...sender, ...(isAwaited && { isAwaited }) };
}

/** The sender of a message; undefined if it has none, or one of which nothing is recorded. */
export function senderOf({ parent, state }: MessageTrace = {}): TraceContext | undefined {
  return parent === undefined ? undefined : { parent, ...(state !== undefined && { state }) };
}

/** Whether who has sent it records its trace. */
export function isRecorded(sender: TraceContext): boolean {
  return (spanContextOf(sender).traceFlags & TraceFlags.SAMPLED) !== 0;
}

/** Of a span of another process. */
export function spanContextOf({ parent, state }: TraceContext): SpanContext {
  const [, traceId = '', spanId = '', flags = ''] = parent.split('-');
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  return { traceId, spanId, traceFlags, isRemote: true, ...(state && { traceState: createTraceState(state) }) };
}

/** The context of work on behalf of a span of another process. */
export function contextOf(sender: TraceContext | undefined): Context {
  return sender === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, spanContextOf(sender));
}
