import { A2AError as SdkError, toJsonRpcError } from '@a2a-js/sdk/errors';
import {
  A2AError,
  type A2AErrorCode,
  a2aErrorCodes,
  grpcStatuses,
  httpStatuses,
  invalidParams,
  jsonRpcCodes,
} from '@switchyard/protocol';

/** Codes that share one class in the SDK. */
const malformed: ReadonlySet<A2AErrorCode> = new Set(['ParseError', 'InvalidRequest', 'InvalidParams']);

/**
 * The Python SDKs know an error of 0.3 by the name of its class: over REST by `type`, over gRPC by how its message
 * begins.
 */
export function pythonClassOf(code: A2AErrorCode): string {
  return code === 'ParseError' ? 'JSONParseError' : `${code}Error`;
}

/** The SDK's handler that answers it. */
type Transport = 'rest' | 'grpc';

/**
 * An A2AError as the SDK's handlers expect it: they go by its name, and take the status from it. For any other error
 * they would answer with its message and an internal error.
 */
export class WireError extends SdkError {
  readonly transport: Transport;
  /** For `rest`. */
  readonly statusCode: number;
  /** For `grpc`. */
  readonly status: number;

  constructor(error: A2AError, transport: Transport) {
    const message = transport === 'grpc' ? `${pythonClassOf(error.code)}: ${error.message}` : error.message;
    super({ message, cause: error, metadata: { ...error.metadata } });
    this.name = malformed.has(error.code) ? 'RequestMalformedError' : `${error.code}Error`;
    this.transport = transport;
    this.statusCode = httpStatuses[error.code];
    this.status = grpcStatuses[error.code].code;
  }
}

/**
 * Makes an A2AError of an error of the SDK's translation. Other errors are returned as they are.
 * @param isRequestsFault whether any other error is the request's fault, because it was being translated
 */
export function fromSdkError(thrown: unknown, isRequestsFault: boolean): unknown {
  if (thrown instanceof A2AError) return thrown;
  if (thrown instanceof SdkError) {
    const { code, message } = toJsonRpcError(thrown);
    const ours = a2aErrorCodes.find((candidate) => jsonRpcCodes[candidate] === code) ?? 'InvalidParams';
    return new A2AError(ours, message, { cause: thrown });
  }
  if (isRequestsFault)
    return invalidParams([{ field: 'params', description: 'is not what version 0.3 has here' }], thrown);
  return thrown;
}
