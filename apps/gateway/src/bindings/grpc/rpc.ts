import type { IncomingHttpHeaders } from 'node:http';
import { Metadata, type ServerUnaryCall, type ServerWritableStream, status } from '@grpc/grpc-js';
import { type A2AError, grpcStatuses } from '@switchyard/protocol';
import type { Call } from '../../call/call.ts';
import { requestIdOf } from '../../exchange/exchange.ts';
import type { Emit, RequestName } from '../../telemetry/events.ts';
import { failureOf, toA2AError } from '../../telemetry/failures.ts';

export type ServedCall<Request, Response> =
  | ServerUnaryCall<Request, Response>
  | ServerWritableStream<Request, Response>;

/** Reports one gRPC call, like an exchange for HTTP. */
export class Rpc {
  readonly #name: RequestName;
  readonly #emit: Emit;
  readonly #startedAt = performance.now();
  #hasEnded = false;
  #extensions: readonly string[] = [];
  readonly #rates: [name: string, value: string][] = [];

  constructor({ metadata, path }: { readonly metadata: Metadata; readonly path: string }, emit: Emit) {
    this.#name = { requestId: requestIdOf(textIn(metadata, 'x-request-id')), method: 'gRPC', path };
    this.#emit = emit;
  }

  get requestId(): string {
    return this.#name.requestId;
  }

  /** Call it when caller and agent are known. */
  opened(call: Call): void {
    this.#extensions = call.activeExtensions;
  }

  /** Rate limit headers: in the metadata of an answer, or the trailers of a refusal. */
  appendHeader(name: string, value: string): void {
    this.#rates.push([name, value]);
  }

  addRates(metadata: Metadata): void {
    for (const [name, value] of this.#rates) metadata.add(name, value);
  }

  /** The initial metadata of every answer. */
  head(version: string): Metadata {
    const head = new Metadata();
    head.set('x-request-id', this.#name.requestId);
    head.set('a2a-version', version);
    if (this.#extensions.length > 0) head.set('a2a-extensions', this.#extensions.join(','));
    this.addRates(head);
    return head;
  }

  /** Does nothing after `refused`. */
  answered(): void {
    this.#end(status.OK);
  }

  /** Logs the error. @returns the error for the caller */
  refused(thrown: unknown): A2AError {
    const error = toA2AError(thrown);
    this.#emit({ ...failureOf(error), ...this.#name });
    this.#end(grpcStatuses[error.code].code);
    return error;
  }

  /** The client has disconnected, or gRPC itself has ended the call. */
  cancelled(): void {
    this.#end(status.CANCELLED);
  }

  #end(status: number): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const durationMs = Math.round(performance.now() - this.#startedAt);
    this.#emit({ kind: 'answered', status, durationMs, ...this.#name });
  }
}

/** The first value of a metadata key. */
export function textIn(metadata: Metadata, name: string): string | undefined {
  const [value] = metadata.get(name);
  return typeof value === 'string' ? value : undefined;
}

/** The headers for authenticators. */
export function headersOf(metadata: Metadata): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = {};
  for (const [name, value] of Object.entries(metadata.getMap())) if (typeof value === 'string') headers[name] = value;
  return headers;
}
