import {
  type Attributes,
  context,
  createContextKey,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TimeInput,
  trace,
} from '@opentelemetry/api';
import { suppressTracing } from '@opentelemetry/core';
import type { MessageTrace } from '@switchyard/protocol';
import { attribute, messaging, spanName } from './conventions.ts';
import { derivedSpanId, type SpanIds, turnTraceId } from './ids.ts';
import { contextOf, isRecorded, senderOf, spanContextOf } from './propagation.ts';
import { recordError, runInSpan, type Tracing, tracing } from './tracing.ts';

/** The message of a turn, and the agent that works on it. */
export interface TracedMessage {
  readonly agent: { readonly id: string; readonly name: string };
  readonly tenant: string;
  readonly taskId: string;
  readonly contextId: string | undefined;
  readonly messageId: string;
  readonly trace: MessageTrace | undefined;
}

/** One run of the agent. */
export interface TracedAttempt {
  readonly epoch: number;
  readonly attempt: number;
  readonly waitedMs?: number | undefined;
}

/** An earlier attempt whose worker died before it could end the spans. */
export interface LostAttempt extends TracedAttempt {
  readonly begunAt: Date;
  readonly worker: string;
}

/** How an attempt ended. */
export interface AttemptEnd {
  /** What it has used of models, without the tasks that it called; unset: nothing. */
  readonly used?:
    | { readonly inputTokens: number; readonly outputTokens: number; readonly microUsd: number }
    | undefined;
  /** Its result: `settled`, `failed`, `retry`, … */
  readonly result: string;
  /** The state of the task, if the attempt settled the turn. */
  readonly state?: string | undefined;
  readonly error?: unknown;
}

/** The attempt from which the ids of its steps' and calls' spans are derived. */
export interface AttemptIdentity {
  readonly taskId: string;
  readonly epoch: number;
  /**
   * Epoch of the first of the lost attempts directly before this one, or of this attempt. A step that runs again gets
   * the span id that it had in the lost attempt, to which its children refer.
   */
  readonly firstEpoch: number;
}

/** A context in which the agent's own spans are not recorded either. */
const unrecorded = suppressTracing(ROOT_CONTEXT);

const attemptKey = createContextKey('switchyard attempt');

export function activeAttempt(): AttemptIdentity | undefined {
  const value: unknown = context.active().getValue(attemptKey);
  return isAttemptIdentity(value) ? value : undefined;
}

function isAttemptIdentity(value: unknown): value is AttemptIdentity {
  return typeof value === 'object' && value !== null && 'firstEpoch' in value;
}

/** The spans of an attempt: `process` for all of it, and its child `invoke_agent` for the agent's work. */
export interface TurnTrace {
  /** Runs the whole attempt in its span. */
  runAttempt<T>(attempt: () => Promise<T>): Promise<T>;
  /** Runs the agent in its span. */
  runAgent<T>(agent: () => Promise<T>): Promise<T>;
  end(end: AttemptEnd): void;
}

/** Starts the spans of an attempt. @param lost the lost attempts directly before this one, in order */
export function traceTurn(message: TracedMessage, attempt: TracedAttempt, lost: readonly LostAttempt[]): TurnTrace {
  const recorder = tracing();
  if (!recorder || !isSampled(recorder, message)) return unrecordedTurn(message);
  recordLost(message, lost);
  const { process, invoke } = start(recorder, message, attempt);
  const { epoch } = attempt;
  const name: AttemptIdentity = { taskId: message.taskId, epoch, firstEpoch: lost[0]?.epoch ?? epoch };
  return {
    runAttempt: (run) => runInSpan(process, run, ROOT_CONTEXT),
    runAgent: (run) => runInSpan(invoke, run, ROOT_CONTEXT.setValue(attemptKey, name)),
    end: (end) => {
      for (const span of [invoke, process]) endAttempt(span, end);
    },
  };
}

/** Like the sender's trace. Without a sender, a share of the turns; derived from the ids, so equal for all attempts. */
function isSampled({ share }: Tracing, { trace: sent, taskId, messageId }: TracedMessage): boolean {
  const sender = senderOf(sent);
  if (sent) return sender !== undefined && isRecorded(sender);
  return Number.parseInt(turnTraceId(taskId, messageId).slice(0, 8), 16) < share * 2 ** 32;
}

/** Records nothing, but the agent's requests still belong to its caller's trace. */
function unrecordedTurn({ trace: sent }: TracedMessage): TurnTrace {
  const sender = senderOf(sent);
  const parent = sender ? contextOf(sender) : unrecorded;
  return {
    runAttempt: (run) => context.with(parent, run),
    runAgent: (run) => run(),
    end: () => undefined,
  };
}

function endAttempt(span: Span, { result, state, error, used }: AttemptEnd): void {
  span.setAttributes({
    [attribute.state]: state,
    [attribute.result]: result,
    [attribute.inputTokens]: used?.inputTokens,
    [attribute.outputTokens]: used?.outputTokens,
    [attribute.microUsd]: used?.microUsd,
  });
  if (error !== undefined) recordError(span, error);
  span.end();
}

/** Records the spans of attempts whose workers died, so that the child spans that they exported have their parent. */
function recordLost(message: TracedMessage, lost: readonly LostAttempt[]): void {
  const recorder = tracing();
  if (!recorder) return;
  for (const attempt of lost) {
    const { process, invoke } = start(recorder, message, attempt, attempt.begunAt);
    for (const span of [invoke, process]) {
      span.setAttributes({ [attribute.worker]: attempt.worker, [attribute.error]: 'worker_died' });
      span.setStatus({ code: SpanStatusCode.ERROR, message: 'the worker died' });
      span.end();
    }
  }
}

/** Starts the spans: linked to the sender of the message, or as children of it if it waits (`TRACE_QUEUE`). */
function start(
  { tracer, ids, queue }: Tracing,
  message: TracedMessage,
  attempt: TracedAttempt,
  startTime?: TimeInput,
): { readonly process: Span; readonly invoke: Span } {
  const { agent, taskId, messageId, trace: sent } = message;
  const isChild = queue === 'parent' && sent?.isAwaited === true;
  const sender = senderOf(sent);
  const parent = contextOf(isChild ? sender : undefined);
  const links = sender && !isChild ? [{ context: spanContextOf(sender) }] : [];
  const given = (name: string): SpanIds => ({
    traceId: turnTraceId(taskId, messageId),
    spanId: derivedSpanId(taskId, attempt.epoch, name),
  });
  const time = startTime === undefined ? {} : { startTime };
  const attributes = attributesOf(message, attempt);
  const process = ids.withIds(given('process'), () =>
    tracer.startSpan(
      spanName.process(agent.id),
      {
        kind: SpanKind.CONSUMER,
        links,
        attributes: { ...messaging('process', agent.id, messageId), ...attributes },
        ...time,
      },
      parent,
    ),
  );
  const invoke = ids.withIds(given('invoke'), () =>
    tracer.startSpan(
      spanName.invokeAgent(agent.name),
      { attributes: { [attribute.genAiOperation]: 'invoke_agent', ...attributes }, ...time },
      trace.setSpan(parent, process),
    ),
  );
  return { process, invoke };
}

function attributesOf(message: TracedMessage, { epoch, attempt, waitedMs }: TracedAttempt): Attributes {
  const { agent, tenant, taskId, contextId, messageId } = message;
  return {
    [attribute.agentId]: agent.id,
    [attribute.agentName]: agent.name,
    [attribute.conversation]: contextId,
    [attribute.task]: taskId,
    [attribute.message]: messageId,
    [attribute.tenant]: tenant,
    [attribute.attempt]: attempt,
    [attribute.epoch]: epoch,
    [attribute.waitedMs]: waitedMs,
  };
}
