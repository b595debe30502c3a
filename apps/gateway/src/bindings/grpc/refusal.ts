import { Metadata, type ServerErrorResponse } from '@grpc/grpc-js';
import { type A2AError, grpcStatuses } from '@switchyard/protocol';
import { encodeStatusDetails } from './status-details.ts';

/** An error as gRPC sends it (A2A 10.6): a status, its message, and in the trailers what is known besides. */
export function toRefusal(error: A2AError): Required<Pick<ServerErrorResponse, 'code' | 'details' | 'metadata'>> {
  const status = grpcStatuses[error.code];
  const metadata = new Metadata();
  metadata.set('grpc-status-details-bin', encodeStatusDetails(error, status));
  return { code: status.code, details: error.message, metadata };
}
