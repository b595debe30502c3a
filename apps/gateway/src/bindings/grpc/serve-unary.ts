import type { handleUnaryCall, ServerUnaryCall } from '@grpc/grpc-js';
import type { Entrance } from '../../http/entrance.ts';
import { requireShallow } from '../../http/parse-json.ts';
import { protocolVersion } from '../../http/protocol-version.ts';
import type { OperationName } from '../../operations/operations.ts';
import { openCall } from './open-call.ts';
import { toRefusal } from './refusal.ts';
import { Rpc } from './rpc.ts';

/** An operation behind a method of the service. */
export interface Method<Request, Response> {
  readonly operation: OperationName;
  /** ProtoJSON of the request. */
  readonly toParams: (request: Request) => unknown;
  /** @param json what the operation answers */
  readonly toMessage: (json: string) => Response;
}

export interface TenantRequest {
  readonly tenant: string;
}

export function serveUnary<Request extends TenantRequest, Response>(
  entrance: Entrance,
  method: Method<Request, Response>,
): handleUnaryCall<Request, Response> {
  return (call, callback) => {
    const rpc = new Rpc(call, entrance.observe);
    answer(entrance, method, call, rpc).then(
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
  entrance: Entrance,
  { operation: name, toParams, toMessage }: Method<Request, Response>,
  call: ServerUnaryCall<Request, Response>,
  rpc: Rpc,
): Promise<Response> {
  using opened = await openCall(entrance, call, call.request);
  rpc.opened(opened);
  const operation = entrance.operations[name];
  if (operation.kind !== 'unary') throw new TypeError(`${name} answers with a stream`);
  const { json = '{}' } = await operation.invoke(opened, requireShallow(toParams(call.request), 'request'));
  return toMessage(json.toString());
}
