import { resumableStreamsUri, type StreamResponse, waitingUri } from '@switchyard/protocol';
import { parse } from '@switchyard/protocol/schemas';
import { type EventId, formatEventId, type Json } from '@switchyard/store';
import { isTracing, traceOperation } from '@switchyard/telemetry';
import type { z } from 'zod';
import { type Action, actions } from '../admission/scopes.ts';
import type { Call } from '../call/call.ts';
import { isActive, wantsRaw } from '../call/extensions.ts';
import { throwIfCutShort } from '../call/held-requests.ts';
import { previewVersion } from '../exchange/service-parameters.ts';
import { isRecordedInAudit } from '../telemetry/audit.ts';
import { toA2AError } from '../telemetry/failures.ts';
import type { Backend } from './backend.ts';
import { answerWithRaw, itemsWithRaw } from './raw-in-answers.ts';
import { withWait } from './waiting.ts';

/** The answer to a call, as JSON for the binding's envelope. */
export interface UnaryResult {
  /** Absent if the caller has this version. */
  readonly json?: Json | undefined;
  /** Version of the task; changes with every change of the task. */
  readonly version?: string;
  /** Number of the task's last event. */
  readonly seq?: number;
}

/** An event of a stream, with the id for resuming after it. */
export interface StreamItem extends EventId {
  /** A2A StreamResponse. */
  readonly json: Json;
}

/** An A2A operation, as bindings call it: it validates its parameters. */
export type Operation = UnaryOperation | StreamingOperation;

interface UnaryOperation {
  readonly kind: 'unary';
  /** @throws {A2AError} */
  invoke(call: Call, params: unknown): Promise<UnaryResult>;
}

interface StreamingOperation {
  readonly kind: 'streaming';
  /** Resolves when the stream can begin; rejects before that. @throws {A2AError} */
  invoke(call: Call, params: unknown): Promise<AsyncIterable<StreamItem>>;
}

/** A stream that can begin. It occupies a slot until it is disposed of. */
export interface OpenStream extends Disposable {
  readonly items: AsyncIterable<StreamItem>;
  /** Call it after the last item. @throws {A2AError} if the gateway has ended the stream: see `throwIfCutShort` */
  requireWhole(): void;
}

export type OperationResult = UnaryResult | OpenStream;

/**
 * Runs an operation up to its answer. Does not keep the request, which may be large, while the answer is written.
 * @throws {A2AError}
 */
export function runOperation(operation: Operation, { call, params }: Invocation): Promise<OperationResult> {
  return operation.kind === 'unary' ? operation.invoke(call, params) : openStream(operation, { call, params });
}

interface ServedOperations<Name extends string> {
  readonly operations: Readonly<Record<Name, Operation>>;
  /** The operations of A2A 1.1; unset if it is not served. */
  readonly preview: Readonly<Record<Name, Operation>> | undefined;
}

/** The operation in the version of the call. */
export function operationFor<Name extends string>(
  { operations, preview }: ServedOperations<Name>,
  { version }: Call,
  name: Name,
): Operation {
  return version === previewVersion && preview ? preview[name] : operations[name];
}

interface Invocation {
  readonly call: Call;
  readonly params: unknown;
}

async function openStream(operation: StreamingOperation, { call, params }: Invocation): Promise<OpenStream> {
  const slot = call.admission.hold('stream');
  try {
    const items = await operation.invoke(call, params);
    call.admission.release();
    const { signal } = call;
    const requireWhole = (): void => throwIfCutShort(signal);
    return { items, requireWhole, [Symbol.dispose]: () => slot[Symbol.dispose]() };
  } catch (error) {
    slot[Symbol.dispose]();
    throw error;
  }
}

/** Creates an operation. */
export type OperationFactory = (name: Action, backend: Backend) => Operation;

/** Runs an operation with a validated request. */
type Perform<Schema extends z.ZodType, Answer> = (
  backend: Backend,
  call: Call,
  request: z.output<Schema>,
) => Promise<Answer>;

export function unary<Schema extends z.ZodType>(schema: Schema, run: Perform<Schema, UnaryResult>): OperationFactory {
  const runWithWait: typeof run = async (backend, call, request) => {
    const answer = await run(backend, call, request);
    const explained = isActive(call, waitingUri) ? await withWait(backend, answer) : answer;
    return backend.files && wantsRaw(call) ? answerWithRaw(backend, call, explained) : explained;
  };
  return (name, backend) => ({
    kind: 'unary',
    invoke: instrumented(name, backend, { schema, run: runWithWait, kind: 'unary' }),
  });
}

export function streaming<Schema extends z.ZodType>(
  schema: Schema,
  run: Perform<Schema, AsyncIterable<StreamItem>>,
): OperationFactory {
  const runWithIds: typeof run = async (backend, call, request) => {
    const items = withEventIds(call, await run(backend, call, request));
    return backend.files && wantsRaw(call) ? itemsWithRaw(backend, call, items) : items;
  };
  return (name, backend) => ({
    kind: 'streaming',
    invoke: instrumented(name, backend, { schema, run: runWithIds, kind: 'streaming' }),
  });
}

interface Implementation<Schema extends z.ZodType, Answer> {
  readonly schema: Schema;
  readonly run: Perform<Schema, Answer>;
  readonly kind: Operation['kind'];
}

/** Traces the operation, and emits its outcome and duration. An accepted message is audited elsewhere, at once. */
function instrumented<Schema extends z.ZodType, Answer>(
  operation: Action,
  backend: Backend,
  { schema, run, kind }: Implementation<Schema, Answer>,
): (call: Call, params: unknown) => Promise<Answer> {
  const { audit: what } = actions[operation];
  const isAudited = isRecordedInAudit(what, backend.settings.audit);
  const report = (call: Call, object: string | undefined, { outcome, startedAt }: Ending): void => {
    backend.emit({ kind: 'operation-finished', operation, outcome, durationMs: performance.now() - startedAt });
    if (!isAudited || (what === 'send' && outcome === 'ok')) return;
    call.admission.audit({ what, outcome, operation, agent: call.scope.agent, object });
  };
  const perform = async (call: Call, params: unknown): Promise<Answer> => {
    const startedAt = performance.now();
    // Read now, because the request may be large and must not be kept until the answer.
    const object = isAudited ? taskNamedIn(Object(params)) : undefined;
    try {
      const request = parse(schema, params);
      const chosen = backend.backendFor ? await backend.backendFor(operation, call, Object(request)) : backend;
      const answer = await run(chosen, call, request);
      report(call, object, { outcome: 'ok', startedAt });
      return answer;
    } catch (thrown) {
      report(call, object, { outcome: toA2AError(thrown).code, startedAt });
      throw thrown;
    }
  };
  const isStream = kind === 'streaming';
  return async (call, params) => {
    call.admission.permit(operation);
    call.admission.requireAgent(operation, call.agent);
    if (!isTracing()) return perform(call, params);
    return traceOperation({ method: operation, isStream, call }, () => perform(call, params));
  };
}

interface Ending {
  /** `ok`, or the code of the error. */
  readonly outcome: string;
  readonly startedAt: number;
}

/** Maximum length of a task id in the audit trail; ours have 36 characters. */
const LONGEST_NAME = 128;

/** The task that a request names, for the audit trail. */
function taskNamedIn(request: object): string | undefined {
  if ('message' in request) return taskNamedIn(Object(request.message));
  if ('taskId' in request) return nameIn(request.taskId);
  return 'id' in request ? nameIn(request.id) : undefined;
}

const nameIn = (value: unknown): string | undefined =>
  typeof value === 'string' ? value.slice(0, LONGEST_NAME) : undefined;

/**
 * The events of a stream. If the client has activated the extension, each has its id in its metadata, because not every
 * binding has another place for it (docs/extensions/resumable-streams.md).
 */
function withEventIds(call: Call, items: AsyncIterable<StreamItem>): AsyncIterable<StreamItem> {
  return isActive(call, resumableStreamsUri) ? identified(items) : items;
}

async function* identified(items: AsyncIterable<StreamItem>): AsyncGenerator<StreamItem, void, undefined> {
  for await (const { json, ...id } of items) yield { ...id, json: identify(json.toString(), id) };
}

function identify(json: string, id: EventId): string {
  const response: StreamResponse = JSON.parse(json);
  // A plain message ends its stream, and has no task.
  const object = response.statusUpdate ?? response.artifactUpdate ?? response.task;
  if (object) object.metadata = { ...object.metadata, [resumableStreamsUri]: { eventId: formatEventId(id) } };
  return JSON.stringify(response);
}
