import { context, type Span, SpanKind, trace } from '@opentelemetry/api';
import type { MessageTrace, TraceContext } from '@switchyard/protocol';
import { attribute, messaging, spanName } from './conventions.ts';
import { derivedSpanId } from './ids.ts';
import { activeTraceContext, contextOf, isRecorded, messageTrace, traceContextOf } from './propagation.ts';
import { runAndEndSpan, type Tracing, tracing } from './tracing.ts';
import { type AttemptIdentity, activeAttempt } from './turn-spans.ts';

/** Runs an attempt at a step of a turn in a span. */
export async function traceStep<T>(
  { name, attempt: number }: { readonly name: string; readonly attempt: number },
  execute: () => Promise<T>,
): Promise<T> {
  const recorder = recording();
  const attempt = activeAttempt();
  const active = trace.getSpanContext(context.active());
  if (!recorder || !attempt || !active) return execute();
  const ids = { traceId: active.traceId, spanId: spanIdIn(attempt, 'step', number === 1 ? name : `${name} ${number}`) };
  const span = recorder.ids.withIds(ids, () => recorder.tracer.startSpan(spanName.step(name)));
  return runAndEndSpan(span, execute);
}

/** A message from one agent to another. */
export interface TracedCall {
  readonly agent: string;
  readonly messageId: string;
  /** The caller waits for the answer. */
  readonly isAwaited: boolean;
}

interface SentCall {
  readonly verdict: string;
  readonly taskId?: string;
  /** An earlier attempt had sent the message. */
  readonly isDuplicate?: boolean;
}

/**
 * Records a call in a span whose id every attempt can derive: the first attempt stores it with the message, and if its
 * worker dies, the next attempt records the span.
 * @param send stores the message, with the trace that its turn continues
 */
export async function traceCall<T extends SentCall>(
  { agent, messageId, isAwaited }: TracedCall,
  send: (trace: MessageTrace | undefined) => Promise<T>,
): Promise<T> {
  const recorder = recording();
  const attempt = activeAttempt();
  const active = trace.getSpanContext(context.active());
  if (!recorder || !attempt || !active) return send(messageTrace(activeTraceContext(), isAwaited));
  const ids = { traceId: active.traceId, spanId: spanIdIn(attempt, 'call', messageId) };
  const startTime = new Date();
  const sent = await send(messageTrace(traceContextOf({ ...active, spanId: ids.spanId }), isAwaited));
  const attributes = {
    ...messaging('send', agent, messageId),
    [attribute.task]: sent.taskId,
    [attribute.error]: sent.verdict === 'accepted' ? undefined : sent.verdict,
  };
  const start = (): Span =>
    recorder.tracer.startSpan(spanName.call(agent), { kind: SpanKind.PRODUCER, attributes, startTime });
  const isKnown = !sent.isDuplicate || attempt.firstEpoch < attempt.epoch;
  (isKnown ? recorder.ids.withIds(ids, start) : start()).end();
  return sent;
}

/**
 * Records the span of a remembered step or call again, under the same id. The worker that ran it died, perhaps before
 * it exported the span, and other spans may refer to it.
 */
export function recordRemembered(kind: 'step' | 'call', name: string): void {
  const recorder = recording();
  const attempt = activeAttempt();
  const active = trace.getSpanContext(context.active());
  if (!recorder || !attempt || !active || attempt.firstEpoch === attempt.epoch) return;
  const ids = { traceId: active.traceId, spanId: spanIdIn(attempt, kind, name) };
  const attributes = { [attribute.isRemembered]: true, ...(kind === 'call' && { [attribute.messagingMessage]: name }) };
  const options = { kind: kind === 'call' ? SpanKind.PRODUCER : SpanKind.INTERNAL, attributes };
  recorder.ids
    .withIds(ids, () => recorder.tracer.startSpan(kind === 'step' ? spanName.step(name) : kind, options))
    .end();
}

/** A delivery to a webhook. */
export interface TracedDelivery {
  readonly origin: string;
  readonly taskId: string;
  /** The trace context of the request that registered the webhook. */
  readonly traceContext: TraceContext | undefined;
}

/** Records a delivery in a span. @param send sends the request with the given trace context */
export async function traceDelivery<T extends { readonly kind: string }>(
  { origin, taskId, traceContext }: TracedDelivery,
  send: (traceContext: TraceContext | undefined) => Promise<T>,
): Promise<T> {
  const recorder = tracing();
  if (!recorder || traceContext === undefined || !isRecorded(traceContext)) return send(traceContext);
  const attributes = { [attribute.httpMethod]: 'POST', [attribute.server]: origin, [attribute.task]: taskId };
  const options = { kind: SpanKind.CLIENT, attributes };
  const span = recorder.tracer.startSpan(spanName.push(origin), options, contextOf(traceContext));
  return runAndEndSpan(span, async () => {
    const outcome = await send(traceContextOf(span.spanContext()));
    if (outcome.kind !== 'delivered') span.setAttribute(attribute.error, outcome.kind);
    return outcome;
  });
}

/** Undefined if this process or the active turn is not recorded. */
function recording(): Tracing | undefined {
  return trace.getActiveSpan()?.isRecording() ? tracing() : undefined;
}

function spanIdIn({ taskId, firstEpoch }: AttemptIdentity, kind: 'step' | 'call', name: string): string {
  return derivedSpanId(taskId, firstEpoch, kind, name);
}
