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

/** Codes with the same class in the SDK. */
const malformed: ReadonlySet<A2AErrorCode> = new Set(['ParseError', 'InvalidRequest', 'InvalidParams']);

/**
 * The Python SDKs recognise an error of 0.3 by its class name: over REST in `type`, over gRPC at the beginning of the
 * message.
 */
export function pythonClassOf(code: A2AErrorCode): string {
  return code === 'ParseError' ? 'JSONParseError' : `${code}Error`;
}

/** The SDK's handler that answers it. */
type Transport = 'rest' | 'grpc';

/**
 * An A2AError as the SDK's handlers expect it: they use its name and status. For any other error they would send its
 * message as an internal error.
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
 * Converts an error of the SDK's translation to an A2AError. Other errors are returned unchanged.
 * @param isRequestsFault whether any other error is the request's fault, because the request was being translated
 */
export function fromSdkError(thrown: unknown, isRequestsFault: boolean): unknown {
  if (thrown instanceof A2AError) return thrown;
  if (thrown instanceof SdkError) {
    const { code, message } = toJsonRpcError(thrown);
    const ours = a2aErrorCodes.find((candidate) => jsonRpcCodes[candidate] === code) ?? 'InvalidParams';
    return new A2AError(ours, message, { cause: thrown });
  }
  if (isRequestsFault) return invalidParams([{ field: 'params', description: 'is not valid in version 0.3' }], thrown);
  return thrown;
}
