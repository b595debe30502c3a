import type { handleServerStreamingCall, handleUnaryCall, Metadata, ServerWritableStream } from '@grpc/grpc-js';
import { retainCopies } from '@switchyard/store';
import { requireShallow } from '../../exchange/read-json.ts';
import { previewVersion, protocolVersion } from '../../exchange/service-parameters.ts';
import { type OperationResult, operationFor, runOperation, type StreamItem } from '../../operations/operation.ts';
import type { OperationName } from '../../operations/operations.ts';
import { inPreview } from '../../v1_1/grpc-fields.ts';
import type { GatewayContext } from '../gateway-context.ts';
import { admittedCall } from './admission.ts';
import { type GrpcCall, namingAgent, openGrpcCall } from './grpc-call.ts';
import type { ServedCall } from './rpc.ts';
import { toRefusal } from './status-details.ts';

/** An operation behind a method of the service. */
export interface Method<Request, Response> {
  readonly operation: OperationName;
  /** ProtoJSON of the request. */
  readonly toParams: (request: Request) => unknown;
  /** @param json the operation's answer */
  readonly toMessage: (json: string) => Response;
}

export interface TenantRequest {
  readonly tenant: string;
}

export function serveUnary<Request extends TenantRequest, Response>(
  context: GatewayContext,
  method: Method<Request, Response>,
): handleUnaryCall<Request, Response> {
  const serve = callHandler(context, method);
  return (call, callback) =>
    void serve(call, {
      write(answer, { toMessage }, { head }) {
        if ('items' in answer) throw new TypeError(`${method.operation} answers with a stream`);
        const { json = '{}' } = answer;
        disposeOnEnd(call, retainCopies(json, COPIES));
        const message = toMessage(json.toString());
        call.sendMetadata(head);
        callback(null, message);
      },
      refuse: callback,
    });
}

export function serveStreamingCall<Request extends TenantRequest, Response>(
  context: GatewayContext,
  method: Method<Request, Response>,
): handleServerStreamingCall<Request, Response> {
  const serve = callHandler(context, method);
  return (call) =>
    void serve(call, {
      async write(answer, { toMessage }, { head }) {
        if (!('items' in answer)) throw new TypeError(`${method.operation} answers with one message`);
        using stream = answer;
        call.sendMetadata(head);
        await writeItems(call, stream.items, toMessage);
        stream.requireWhole();
        call.end();
      },
      // gRPC ends the call with the status of the emitted error.
      refuse: (refusal) => call.emit('error', refusal),
    });
}

/** The two kinds of calls. */
interface AnswerWriter<Request, Response> {
  /** @param method in the version of the call */
  readonly write: (
    answer: OperationResult,
    method: Method<Request, Response>,
    call: { readonly head: Metadata },
  ) => void | Promise<void>;
  readonly refuse: (refusal: ReturnType<typeof toRefusal>) => void;
}

/** Opens a call, runs its operation, writes the answer, and reports the call. */
function callHandler<Request extends TenantRequest, Response>(
  context: GatewayContext,
  method: Method<Request, Response>,
) {
  return async (
    call: ServedCall<Request, Response>,
    { write, refuse }: AnswerWriter<Request, Response>,
  ): Promise<void> => {
    const { rpc } = admittedCall(call);
    let asked: GrpcCall | undefined;
    try {
      using opened = openGrpcCall(context, call, call.request);
      asked = opened;
      rpc.opened(opened);
      const spoken = opened.version === previewVersion ? inPreview(method) : method;
      const params = requireShallow(spoken.toParams(call.request), 'request');
      const answer = await runOperation(operationFor(context, opened, method.operation), { call: opened, params });
      await write(answer, spoken, { head: rpc.head(opened.version ?? protocolVersion) });
      rpc.answered();
    } catch (thrown) {
      refuse(toRefusal(rpc.refused(asked ? namingAgent(thrown, asked) : thrown)));
    }
  };
}

async function writeItems<Response>(
  call: ServerWritableStream<unknown, Response>,
  items: AsyncIterable<StreamItem>,
  toMessage: (json: string) => Response,
): Promise<void> {
  let unsent = 0;
  for await (const { json } of items) {
    using _copies = retainCopies(json, COPIES);
    unsent += json.length;
    if (unsent > MAX_UNSENT) await sent(call, toMessage(json.toString()));
    else if (call.write(toMessage(json.toString()))) continue;
    else await drained(call);
    unsent = 0;
  }
}

/** Memory of an answer: the parsed JSON, the message, its bytes and those being sent. */
const COPIES = 4;

/** Resolves when the client has the whole answer, or has disconnected. */
export function disposeOnEnd(call: ServedCall<unknown, unknown>, held: Disposable): void {
  if (call.cancelled) held[Symbol.dispose]();
  else call.once('cancelled', () => held[Symbol.dispose]());
}

/** Maximum number of unsent bytes: gRPC's own limit counts messages of any size. */
const MAX_UNSENT = 64 * 1024;

/** Resolves when this and all earlier messages are sent, or the client has disconnected. */
function sent<Response>(call: ServerWritableStream<unknown, Response>, message: Response): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      call.off('cancelled', done);
      resolve();
    };
    call.on('cancelled', done);
    if (call.cancelled) done();
    else call.write(message, done);
  });
}

/** Resolves when the client has read enough, or has disconnected: a slow reader pauses the source of its events. */
function drained(call: ServerWritableStream<unknown, unknown>): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      call.off('drain', done).off('cancelled', done).off('close', done);
      resolve();
    };
    call.on('drain', done).on('cancelled', done).on('close', done);
    if (call.cancelled) done();
  });
}

/**
 * Backpressure for a call to which the SDK writes without waiting.
 * @returns called with the size of a written message; resolves when there is room, or the client has disconnected
 */
export function backpressureOf(call: ServerWritableStream<unknown, unknown>): (bytes: number) => Promise<void> {
  let last = Promise.withResolvers<void>();
  last.resolve();
  call.once('cancelled', () => last.resolve());
  const write = call.write.bind(call);
  call.write = (message: unknown): boolean => {
    const written = Promise.withResolvers<void>();
    last = written;
    if (call.cancelled) written.resolve();
    return write(message, () => written.resolve());
  };
  let unsent = 0;
  return async (bytes) => {
    unsent += bytes;
    if (unsent <= MAX_UNSENT && !call.writableNeedDrain) return;
    await last.promise;
    unsent = 0;
  };
}
