import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { Invocation } from '../support/bindings/outcome.ts';
import type { Draft } from '../support/bindings/over-grpc.ts';

/** The fields of A2A 1.1, with the numbers of specification/a2a.proto in the branch dev-1.1. */
const numbers = { task: 7, statusUpdate: 5, artifactUpdate: 7, currentGeneration: 4, ifGenerationMatch: 5 };
const configuration = 3;
const payloads = { 1: 'task', 3: 'statusUpdate', 4: 'artifactUpdate' } as const;

/** A client generated from that definition. */
export const draft: Draft = {
  request(bytes, { params }) {
    const { currentGeneration, configuration: given } = params as Params;
    if (currentGeneration !== undefined) return withInt64(bytes, numbers.currentGeneration, currentGeneration);
    if (given?.ifGenerationMatch === undefined) return bytes;
    const fields = fieldsOf(bytes);
    const inside = fields.get(configuration)?.[0] ?? new Uint8Array();
    const writer = new BinaryWriter();
    for (const [number, [value = new Uint8Array()]] of fields)
      if (number !== configuration) writer.tag(number, WireType.LengthDelimited).bytes(value);
    writer.tag(configuration, WireType.LengthDelimited);
    writer.bytes(withInt64(Buffer.from(inside), numbers.ifGenerationMatch, given.ifGenerationMatch));
    return Buffer.from(writer.finish());
  },
  answer: (bytes, json, invocation) => withGenerations(bytes, json as Json, invocation),
};

interface Params {
  readonly currentGeneration?: number;
  readonly configuration?: { readonly ifGenerationMatch?: number };
}

type Json = Readonly<Record<string, unknown>>;

function withGenerations(bytes: Uint8Array, json: Json, { operation }: Invocation): unknown {
  if (operation === 'GetTask' || operation === 'CancelTask')
    return { ...json, ...int64In(bytes, numbers.task, 'generation') };
  const fields = fieldsOf(bytes);
  if (operation === 'ListTasks') {
    const found = (fields.get(1) ?? []).map((task) => int64In(task, numbers.task, 'generation'));
    return { ...json, tasks: (json.tasks as Json[] | undefined)?.map((task, i) => ({ ...task, ...found[i] })) };
  }
  for (const [number, name] of Object.entries(payloads)) {
    const [inside] = fields.get(Number(number)) ?? [];
    if (inside) return { [name]: { ...Object(json[name]), ...int64In(inside, numbers[name], 'generation') } };
  }
  return json;
}

/** An int64 as ProtoJSON writes it. */
function int64In(bytes: Uint8Array, wanted: number, name: string): Record<string, string> {
  const reader = new BinaryReader(bytes);
  let found: string | undefined;
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    if (number === wanted && type === WireType.Varint) found = String(reader.int64());
    else reader.skip(type);
  }
  return found === undefined ? {} : { [name]: found };
}

/** The length-delimited fields of a message, by number. */
function fieldsOf(message: Uint8Array): Map<number, Uint8Array[]> {
  const reader = new BinaryReader(message);
  const fields = new Map<number, Uint8Array[]>();
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    if (type === WireType.LengthDelimited) fields.set(number, [...(fields.get(number) ?? []), reader.bytes()]);
    else reader.skip(type);
  }
  return fields;
}

function withInt64(bytes: Buffer, field: number, value: number): Buffer {
  return Buffer.concat([bytes, new BinaryWriter().tag(field, WireType.Varint).int64(value).finish()]);
}
