import type { handleServerStreamingCall, handleUnaryCall, ServerUnaryCall, ServerWritableStream } from '@grpc/grpc-js';
import { A2AError } from '@switchyard/protocol';
import { protocolVersion } from '../../call/service-parameters.ts';
import { requireShallow } from '../../exchange/read-json.ts';
import { Interruption } from '../../limits/waiting-calls.ts';
import type { OperationName } from '../../operations/operations.ts';
import type { GatewayContext } from '../gateway-context.ts';
import { admittedCall } from './admission.ts';
import { openCall } from './grpc-call.ts';
import type { Rpc } from './rpc.ts';
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
  return (call, callback) => {
    const { rpc } = admittedCall(call);
    answer(context, method, call, rpc).then(
      (message) => {
        call.sendMetadata(rpc.head(protocolVersion));
        callback(null, message);
        rpc.answered();
      },
      (thrown) => callback(toRefusal(rpc.refused(thrown))),
    );
  };
}

async function answer<Request extends TenantRequest, Response>(
  context: GatewayContext,
  { operation: name, toParams, toMessage }: Method<Request, Response>,
  call: ServerUnaryCall<Request, Response>,
  rpc: Rpc,
): Promise<Response> {
  using opened = openCall(context, call, call.request);
  rpc.opened(opened);
  const operation = context.operations[name];
  if (operation.kind !== 'unary') throw new TypeError(`${name} answers with a stream`);
  const { json = '{}' } = await operation.invoke(opened, requireShallow(toParams(call.request), 'request'));
  return toMessage(json.toString());
}

export function serveStream<Request extends TenantRequest, Response>(
  context: GatewayContext,
  method: Method<Request, Response>,
): handleServerStreamingCall<Request, Response> {
  return (call) => {
    const { rpc } = admittedCall(call);
    stream(context, method, call, rpc).then(
      () => {
        call.end();
        rpc.answered();
      },
      // gRPC ends the call with the status of the error that is emitted.
      (thrown) => call.emit('error', toRefusal(rpc.refused(thrown))),
    );
  };
}

async function stream<Request extends TenantRequest, Response>(
  context: GatewayContext,
  { operation: name, toParams, toMessage }: Method<Request, Response>,
  call: ServerWritableStream<Request, Response>,
  rpc: Rpc,
): Promise<void> {
  using opened = openCall(context, call, call.request);
  rpc.opened(opened);
  const operation = context.operations[name];
  if (operation.kind !== 'streaming') throw new TypeError(`${name} answers with one message`);
  using _slot = context.streams.take();
  const items = await operation.invoke(opened, requireShallow(toParams(call.request), 'request'));
  call.sendMetadata(rpc.head(protocolVersion));
  let unsent = 0;
  for await (const { json } of items) {
    unsent += json.length;
    if (unsent > MOST_UNSENT) await sent(call, toMessage(json));
    else if (call.write(toMessage(json))) continue;
    else await drained(call);
    unsent = 0;
  }
  if (isShutdown(opened.signal)) throw cutShort();
}

/** Bytes that may be written before the first are sent: gRPC's own limit counts messages, of any size. */
const MOST_UNSENT = 64 * 1024;

/** Resolves when this message and all before it are sent, or the client is gone. */
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

/** Resolves when the client has read enough, or is gone: a slow reader pauses the source of its events. */
export function drained(call: ServerWritableStream<unknown, unknown>): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      call.off('drain', done).off('cancelled', done).off('close', done);
      resolve();
    };
    call.on('drain', done).on('cancelled', done).on('close', done);
    if (call.cancelled) done();
  });
}

function isShutdown({ reason }: AbortSignal): boolean {
  return reason instanceof Interruption && reason.kind === 'shutdown';
}

/** For a stream that ended without its last event. */
function cutShort(): A2AError {
  return new A2AError('Unavailable', 'This gateway is shutting down: subscribe to the task again', {
    retryAfterSeconds: 1,
  });
}
