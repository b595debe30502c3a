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

/** The most members that W3C allows in a `tracestate`; OpenTelemetry's API reverses the order of a longer one. */
const MAX_MEMBERS = 32;

/** Reads the headers. Ignores invalid ones, as W3C requires, and a `tracestate` of more than 512 characters. */
export function traceContextIn(traceparent: unknown, tracestate?: unknown): TraceContext | undefined {
  if (typeof traceparent !== 'string' || !traceParent.test(traceparent)) return undefined;
  const isList = typeof tracestate === 'string' && tracestate.split(',', MAX_MEMBERS + 1).length <= MAX_MEMBERS;
  const state = isList && createTraceState(tracestate).serialize();
  return { parent: traceparent, ...(state && { state }) };
}

export function traceContextOf({ traceId, spanId, traceFlags, traceState }: SpanContext): TraceContext {
  const parent = `00-${traceId}-${spanId}-${traceFlags & TraceFlags.SAMPLED ? '01' : '00'}`;
  const state = traceState?.serialize();
  return { parent, ...(state && { state }) };
}

/** The trace context of the active span, which may be a span of another process. */
export function activeTraceContext(): TraceContext | undefined {
  const active = trace.getSpanContext(context.active());
  return active && traceContextOf(active);
}

/** The id of the active trace. */
export function activeTraceId(): string | undefined {
  return trace.getSpanContext(context.active())?.traceId;
}

/**
 * The trace that a sender without a span of its own stores with a message: that of its caller. An empty object: the
 * sender decided not to record this trace, so the turn is not recorded either.
 */
export function messageTrace(sender: TraceContext | undefined, isAwaited: boolean): MessageTrace | undefined {
  if (sender === undefined) return isTracing() ? {} : undefined;
  return { ...sender, ...(isAwaited && { isAwaited }) };
}

/** The sender's trace context in a message; undefined if there is none. */
export function senderOf({ parent, state }: MessageTrace = {}): TraceContext | undefined {
  return parent === undefined ? undefined : { parent, ...(state !== undefined && { state }) };
}

/** Whether the sender records its trace. */
export function isRecorded(sender: TraceContext): boolean {
  return (spanContextOf(sender).traceFlags & TraceFlags.SAMPLED) !== 0;
}

/** The context of a span of another process. */
export function spanContextOf({ parent, state }: TraceContext): SpanContext {
  const [, traceId = '', spanId = '', flags = ''] = parent.split('-');
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  return { traceId, spanId, traceFlags, isRemote: true, ...(state && { traceState: createTraceState(state) }) };
}

/** The context for work that a span of another process caused. */
export function contextOf(sender: TraceContext | undefined): Context {
  return sender === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, spanContextOf(sender));
}
