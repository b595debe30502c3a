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

/** Codes that the SDK has one class for. */
const malformed: ReadonlySet<A2AErrorCode> = new Set(['ParseError', 'InvalidRequest', 'InvalidParams']);

/**
 * The Python SDKs know an error of 0.3 by the name of its class: over REST by `type`, over gRPC by how its message
 * begins.
 */
export function pythonClassOf(code: A2AErrorCode): string {
  return code === 'ParseError' ? 'JSONParseError' : `${code}Error`;
}

/** Which of the SDK's handlers will answer it. */
type Transport = 'rest' | 'grpc';

/**
 * One of our errors as the SDK's handlers understand it: they tell errors apart by their names, and take the status
 * from those that say whose they are. Of any other they would repeat the message and say that it is their own fault.
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
 * What the SDK's translation refuses, as one of ours. Ours pass as they are, and so does what else was thrown.
 * @param isRequestsFault whatever else was thrown came of the request: it was being translated
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
