import { A2AError as SdkError } from '@a2a-js/sdk/errors';
import { type A2AError, type A2AErrorCode, grpcStatuses, httpStatuses } from '@switchyard/protocol';

/** Codes that the SDK has one class for. */
const malformed: ReadonlySet<A2AErrorCode> = new Set(['ParseError', 'InvalidRequest', 'InvalidParams']);

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
    super({ message: error.message, cause: error, metadata: { ...error.metadata } });
    this.name = malformed.has(error.code) ? 'RequestMalformedError' : `${error.code}Error`;
    this.transport = transport;
    this.statusCode = httpStatuses[error.code];
    this.status = grpcStatuses[error.code].code;
  }
}
