import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { Metadata, type ServerErrorResponse, type ServerInterceptingCallInterface } from '@grpc/grpc-js';
import { type A2AError, type ErrorDetail, errorDetails, type GrpcStatus, grpcStatuses } from '@switchyard/protocol';

/** Maximum size of violations: many clients limit headers to 8 KiB, and details are sent as base64. */
const maxBytes = 4096;
/** Maximum size of all details; ours are smaller. */
const maxDetails = 6144;
/** Longest message, in UTF-16 units. */
const longestMessage = 500;

const detailsKey = 'grpc-status-details-bin';

/** The type has no name in the library's exports. */
type StatusObject = Parameters<ServerInterceptingCallInterface['sendStatus']>[0];

/** Writes the contents of a length-delimited field. */
type Write = (writer: BinaryWriter) => void;

/** The `google.rpc.Status` of an error (A2A 10.6), for `grpc-status-details-bin`. */
function encodeStatusDetails(error: A2AError, { code }: GrpcStatus): Buffer {
  const writer = new BinaryWriter();
  writer.uint32(tag(1)).int32(code);
  text(writer, 2, shortened(error.message));
  for (const detail of errorDetails(error)) nested(writer, 3, (any) => writeAny(any, detail));
  return Buffer.from(writer.finish());
}

function writeAny(writer: BinaryWriter, detail: ErrorDetail): void {
  text(writer, 1, detail['@type']);
  nested(writer, 2, (value) => writeDetail(value, detail));
}

function writeDetail(writer: BinaryWriter, detail: ErrorDetail): void {
  switch (detail['@type']) {
    case 'type.googleapis.com/google.rpc.ErrorInfo':
      writeErrorInfo(writer, detail);
      break;
    case 'type.googleapis.com/google.rpc.BadRequest':
      writeViolations(writer, detail.fieldViolations);
      break;
    case 'type.googleapis.com/google.rpc.RetryInfo':
      nested(writer, 1, (duration) => writeSeconds(duration, Number.parseFloat(detail.retryDelay)));
  }
}

type ErrorInfo = Extract<ErrorDetail, { '@type': 'type.googleapis.com/google.rpc.ErrorInfo' }>;

function writeErrorInfo(writer: BinaryWriter, { reason, domain, metadata }: ErrorInfo): void {
  text(writer, 1, reason);
  text(writer, 2, domain);
  for (const [key, value] of Object.entries(metadata)) {
    nested(writer, 3, (entry) => {
      text(entry, 1, key);
      text(entry, 2, value);
    });
  }
}

/** Writes as many violations as fit: clients cannot receive an error that is too large. */
function writeViolations(writer: BinaryWriter, violations: readonly { field: string; description: string }[]): void {
  let room = maxBytes;
  for (const { field, description } of violations) {
    room -= Buffer.byteLength(field) + Buffer.byteLength(description);
    if (room < 0) return;
    nested(writer, 1, (violation) => {
      text(violation, 1, field);
      text(violation, 2, description);
    });
  }
}

function writeSeconds(writer: BinaryWriter, seconds: number): void {
  const whole = Math.trunc(seconds);
  writer.uint32(tag(1)).int64(whole);
  writer.uint32(tag(2)).int32(Math.round((seconds - whole) * 1e9));
}

function text(writer: BinaryWriter, field: number, value: string): void {
  writer.uint32(tag(field, 2)).string(value);
}

function nested(writer: BinaryWriter, field: number, write: Write): void {
  writer.uint32(tag(field, 2)).fork();
  write(writer);
  writer.join();
}

/** @param type 0: a number, 2: length-delimited */
function tag(field: number, type: 0 | 2 = 0): number {
  return (field << 3) | type;
}

/** An error for gRPC (A2A 10.6): a status, its message, and details in the trailers. */
export function toRefusal(error: A2AError): Required<Pick<ServerErrorResponse, 'code' | 'details' | 'metadata'>> {
  const status = grpcStatuses[error.code];
  const metadata = new Metadata();
  metadata.set(detailsKey, encodeStatusDetails(error, status));
  for (const challenge of error.challenges) metadata.add('www-authenticate', challenge);
  return { code: status.code, details: shortened(error.message), metadata };
}

/** For trailers of 64 KiB, clients end the connection with all its calls. Details that are too large are left out. */
export function withShortTrailers(answer: StatusObject): StatusObject {
  const [details] = answer.metadata?.get(detailsKey) ?? [];
  if (details && details.length > maxDetails) answer.metadata?.remove(detailsKey);
  return { ...answer, details: shortened(answer.details) };
}

function shortened(message: string): string {
  return message.length <= longestMessage ? message : `${message.slice(0, longestMessage).toWellFormed()}…`;
}
