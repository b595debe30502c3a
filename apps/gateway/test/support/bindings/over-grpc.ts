import { decodeStatus } from '@a2a-js/sdk/errors/grpc';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { Client, credentials, Metadata, type MethodDefinition, type ServiceError } from '@grpc/grpc-js';
import type { ErrorDetail } from '../client.ts';
import { markNullData, messagesOf } from './messages.ts';
import { type Binding, type Invocation, toOutcomeError } from './outcome.ts';

type Definition = MethodDefinition<unknown, unknown>;

/** What a draft of the protocol adds to the bytes of a request, and to the JSON of an answer. */
export interface Draft {
  request(bytes: Buffer, invocation: Invocation): Buffer;
  answer(bytes: Buffer, json: unknown, invocation: Invocation): unknown;
}

const definitions = Object.values(A2AService) as unknown as readonly Definition[];

export interface GrpcBinding extends Binding, Disposable {
  readonly client: Client;
}

/** @param agent sent with every request as the tenant; unset: the agent at the root */
export function overGrpc(address: string, agent?: string, draft?: Draft): GrpcBinding {
  const client = new Client(address, credentials.createInsecure());
  return {
    name: 'GRPC',
    client,
    async invoke(invocation) {
      try {
        return { result: await (isStream(invocation) ? collect : ask)(client, methodOf(invocation, { agent, draft })) };
      } catch (error) {
        return { error: toOutcomeError(...describe(error as ServiceError)) };
      }
    },
    [Symbol.dispose]: () => client.close(),
  };
}

export function definitionOf(operation: string): Definition {
  const found = definitions.find(({ path }) => path.endsWith(`/${operation}`));
  if (!found) throw new Error(`${operation} is no method`);
  return found;
}

const isStream = ({ operation }: Invocation): boolean => definitionOf(operation).responseStream;

interface CallOptions {
  readonly agent: string | undefined;
  readonly draft: Draft | undefined;
}

/** A gRPC method that returns JSON. */
function methodOf(invocation: Invocation, { agent, draft }: CallOptions) {
  const { operation, params, headers, mostEvents } = invocation;
  const { path, requestSerialize, responseDeserialize } = definitionOf(operation);
  const { request, response } = messagesOf(operation);
  return {
    path,
    message: request.fromJSON({ ...params, ...(agent !== undefined && { tenant: agent }) }),
    metadata: toMetadata(headers),
    mostEvents,
    serialize(message: unknown): Buffer {
      const bytes = requestSerialize(message);
      return draft ? draft.request(bytes, invocation) : bytes;
    },
    deserialize(bytes: Buffer): unknown {
      const json = markNullData(response.toJSON(responseDeserialize(bytes)));
      return draft ? draft.answer(bytes, json, invocation) : json;
    },
  };
}

type Method = ReturnType<typeof methodOf>;

function ask(client: Client, { path, serialize, deserialize, message, metadata }: Method): Promise<unknown> {
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(path, serialize, deserialize, message, metadata, (error, value) =>
      error ? reject(error) : resolve(value),
    );
  });
}

async function collect(
  client: Client,
  { path, serialize, deserialize, message, metadata, mostEvents }: Method,
): Promise<unknown[]> {
  const events: unknown[] = [];
  for await (const event of client.makeServerStreamRequest(path, serialize, deserialize, message, metadata)) {
    events.push(event);
    if (events.length === mostEvents) break;
  }
  return events;
}

function toMetadata(headers: Invocation['headers'] = {}): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  return metadata;
}

function describe({ details, metadata }: ServiceError): [message: string, details: ErrorDetail[]] {
  const [encoded] = metadata.get('grpc-status-details-bin');
  if (!(encoded instanceof Buffer)) return [details, []];
  const status = decodeStatus(encoded);
  return [details, (status?.details ?? []).map(({ typeUrl, value }) => decodeDetail(typeUrl, value))];
}

function decodeDetail(type: string, value: Uint8Array): ErrorDetail {
  const fields = fieldsOf(value);
  const detail = { '@type': type };
  if (type.endsWith('ErrorInfo'))
    return { ...detail, reason: text(fields[1]?.[0]), metadata: Object.fromEntries((fields[3] ?? []).map(pair)) };
  if (!type.endsWith('BadRequest')) return detail;
  const violations = (fields[1] ?? []).map(pair);
  return { ...detail, fieldViolations: violations.map(([field, description]) => ({ field, description })) };
}

/** The length-delimited fields of a protobuf message, by number. */
function fieldsOf(message: Uint8Array): Record<number, Uint8Array[]> {
  const reader = new BinaryReader(message);
  const fields: Record<number, Uint8Array[]> = {};
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    if (type === 2) fields[number] = [...(fields[number] ?? []), reader.bytes()];
    else reader.skip(type);
  }
  return fields;
}

const text = (bytes: Uint8Array = new Uint8Array()): string => Buffer.from(bytes).toString();

/** Two texts in fields 1 and 2: a map entry, or a violation. */
function pair(message: Uint8Array): [string, string] {
  const fields = fieldsOf(message);
  return [text(fields[1]?.[0]), text(fields[2]?.[0])];
}
