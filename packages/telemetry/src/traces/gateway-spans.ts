import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { A2AError, type A2AErrorCode, type MessageTrace, type TraceContext } from '@switchyard/protocol';
import { attribute, messaging, spanName } from './conventions.ts';
import { contextOf, isRecorded, messageTrace, spanContextOf, traceContextOf } from './propagation.ts';
import { runAndEndSpan, runInSpan, type Tracing, tracing } from './tracing.ts';

/** An A2A operation of a client. */
export interface TracedOperation {
  readonly method: string;
  readonly isStream: boolean;
  readonly call: {
    readonly scope: { readonly agent: string; readonly principal: { readonly tenant: string } };
    /** The trace context of the request. */
    readonly traceContext?: TraceContext | undefined;
    /** For a stream: aborted when the stream ends. */
    readonly signal: AbortSignal;
  };
}

/** Errors of the server. Other codes are errors of the client, and do not mark the span as failed. */
const serverErrors: ReadonlySet<A2AErrorCode> = new Set(['Internal', 'InvalidAgentResponse', 'Unavailable']);

/** Runs an operation in a span, which lasts until the response or to the end of the stream. */
export async function traceOperation<T>(operation: TracedOperation, run: () => Promise<T>): Promise<T> {
  const { method, isStream, call } = operation;
  const recorder = tracing();
  if (!recorder || !isSampled(recorder, call.traceContext)) return run();
  const { agent, principal } = call.scope;
  const attributes = {
    [attribute.method]: method,
    [attribute.agentId]: agent,
    [attribute.tenant]: principal.tenant,
  };
  const parent = contextOf(call.traceContext);
  const span = recorder.tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent);
  try {
    const answer = await runInSpan(span, run, parent);
    if (isStream && !call.signal.aborted) call.signal.addEventListener('abort', () => span.end(), { once: true });
    else span.end();
    return answer;
  } catch (error) {
    const code = error instanceof A2AError ? error.code : 'Internal';
    span.setAttribute(attribute.error, code);
    if (serverErrors.has(code)) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
    throw error;
  }
}

/** A caller's trace is recorded if the caller records it; of the traces that begin here, a share is recorded. */
function isSampled({ share }: Tracing, sender: TraceContext | undefined): boolean {
  return sender === undefined ? Math.random() < share : isRecorded(sender);
}

/** A message of a client. */
export interface SentMessage {
  readonly agent: string;
  readonly messageId: string;
  /** The trace context of the request. */
  readonly traceContext: TraceContext | undefined;
  /** The sender waits for the answer, or streams it. */
  readonly isAwaited: boolean;
}

/** The store's reply to a message. */
interface Acceptance {
  readonly verdict: string;
  readonly taskId?: string;
  readonly contextId?: string;
}

/** Records the sending of a message. @param accept stores the message, with the trace that its turn continues */
export async function traceSend<T extends Acceptance>(
  { agent, messageId, traceContext, isAwaited }: SentMessage,
  accept: (trace: MessageTrace | undefined) => Promise<T>,
): Promise<T> {
  const recorder = tracing();
  const operation = recorder && trace.getActiveSpan();
  if (!operation) return accept(messageTrace(traceContext, isAwaited));
  const attributes = messaging('send', agent, messageId);
  // A client that cannot set headers names its trace in the message; the span of the operation lacks this trace.
  const named = traceContext && spanContextOf(traceContext);
  const links = named && named.traceId !== operation.spanContext().traceId ? [{ context: named }] : [];
  const span = recorder.tracer.startSpan(spanName.send(agent), { kind: SpanKind.PRODUCER, attributes, links });
  return runAndEndSpan(span, async () => {
    const acceptance = await accept(messageTrace(traceContextOf(span.spanContext()), isAwaited));
    const { verdict, taskId, contextId } = acceptance;
    if (verdict !== 'accepted') span.setAttribute(attribute.error, verdict);
    const ids = { [attribute.task]: taskId, [attribute.conversation]: contextId, [attribute.message]: messageId };
    for (const each of [span, operation]) each.setAttributes(ids);
    return acceptance;
  });
}
