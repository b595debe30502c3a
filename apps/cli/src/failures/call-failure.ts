import { A2AError, isJsonRpcError, isRestError } from '@a2a-js/sdk/errors';
import {
  CommandFailure,
  type LocalCode,
  type OwnCode,
  type ProtocolName,
  protocolNameOf,
  rateLimited,
} from './failure.ts';
import { missingHint, missingPackage, missingText } from './missing-package.ts';

// The same failure for the same error, over all bindings.

/** Errors of JSON-RPC, HTTP and gRPC for which A2A has no reason. */
type Name = ProtocolName | LocalCode | OwnCode;
const byJsonRpc: Readonly<Record<number, Name>> = {
  [-32700]: 'JSONParseError',
  [-32600]: 'InvalidRequestError',
  [-32601]: 'MethodNotFoundError',
  [-32602]: 'InvalidParamsError',
  [-32603]: 'InternalError',
  [-32056]: rateLimited, // Switchyard's code
  [-32057]: 'A2ACLI_ERR_UNREACHABLE', // Switchyard's code while its store is unavailable
};
const byHttp: Readonly<Record<number, Name>> = {
  400: 'InvalidParamsError',
  404: 'MethodNotFoundError',
  429: rateLimited,
  500: 'InternalError',
  503: 'A2ACLI_ERR_UNREACHABLE',
};
const byGrpc: Readonly<Record<number, Name>> = {
  3: 'InvalidParamsError',
  7: 'A2ACLI_ERR_AUTH_FAILED',
  12: 'MethodNotFoundError',
  13: 'InternalError',
  14: 'A2ACLI_ERR_UNREACHABLE',
  16: 'A2ACLI_ERR_AUTH_FAILED',
};

/** Converts what a call threw to a failure. */
export function callFailure(error: unknown, signal?: AbortSignal): CommandFailure {
  if (signal?.aborted && signal.reason instanceof CommandFailure) return signal.reason;
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each instanceof CommandFailure) return each;
    if (each instanceof A2AError) return protocolFailure(each);
  }
  const missing = missingPackage(error);
  if (missing !== undefined)
    return new CommandFailure('SWITCHYARD_ERR_NOT_INSTALLED', missingText(missing), {
      hint: missingHint,
      cause: error,
    });
  if (isCutOff(error))
    return new CommandFailure('A2ACLI_ERR_UNREACHABLE', 'The connection ended in the middle of the answer', {
      hint: 'Try again in a moment.',
      cause: error,
    });
  return new CommandFailure('A2ACLI_ERR_INTERNAL', textOf(error), { cause: error });
}

/** As `fetch` says it of the body of an answer. */
export function isCutOff(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'terminated';
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function protocolFailure(error: A2AError): CommandFailure {
  const { code, name } = onTheWire(error);
  const hint = name && hints[name];
  return new CommandFailure(name ?? 'A2ACLI_ERR_INTERNAL', withoutPrefix(error.message), {
    a2aCode: code,
    hint,
    cause: error,
  });
}

const hints: Readonly<Record<string, string>> = {
  A2ACLI_ERR_UNREACHABLE: 'Try again in a moment.',
  [rateLimited]: 'Nothing was done. Try again later.',
};

/** The SDK maps several JSON-RPC codes to the same reason; the code is more precise. */
function onTheWire(error: A2AError): { code?: number; name?: Name | undefined } {
  // gRPC's client itself has the same status for an answer that is too large.
  const name = error.reason === 'RATE_LIMITED' ? rateLimited : protocolNameOf(error.reason);
  if (isJsonRpcError(error)) return { code: error.envelopeCode, name: byJsonRpc[error.envelopeCode] ?? name };
  if (isRestError(error)) return { code: error.statusCode, name: name ?? byHttp[error.statusCode] };
  const status = grpcStatusOf(error);
  if (status !== undefined) return { code: status, name: name ?? byGrpc[status] };
  return { name };
}

/** gRPC's client adds a prefix to the server's message. */
function withoutPrefix(message: string): string {
  return message.replace(/^gRPC error for \w+: \d+ /, '');
}

/** Like the SDK's isGrpcError, whose module loads the encoding of gRPC's messages. */
function grpcStatusOf(error: A2AError): number | undefined {
  const isGrpc = 'transport' in error && error.transport === 'grpc';
  return isGrpc && 'status' in error && typeof error.status === 'number' ? error.status : undefined;
}
