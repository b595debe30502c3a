import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { MethodDefinition, ServiceDefinition } from '@grpc/grpc-js';

/*
 * The fields of A2A 1.1 in protobuf. The SDK's messages are those of 1.0 and drop unknown fields. So these fields are
 * read from the bytes of a request, and added to the bytes of an answer, by their numbers in the draft.
 */

type Definition = MethodDefinition<object, object>;

/** A numeric field of a request, and its place in JSON. */
interface RequestField {
  /** Field numbers of the path to it. */
  readonly path: readonly number[];
  readonly put: (params: object, value: number) => object;
}

const ifGenerationMatch: RequestField = {
  path: [3, 5],
  put: (params, value) => {
    const { configuration } = params as { readonly configuration?: object };
    return { ...params, configuration: { ...configuration, ifGenerationMatch: value } };
  },
};
const currentGeneration: RequestField = {
  path: [4],
  put: (params, value) => ({ ...params, currentGeneration: value }),
};

/** By field of an answer that has a generation, the generation's field number; 0: the answer itself is a task. */
type AnswerFields = ReadonlyMap<number, number>;

const [inTask, inStatusUpdate, inArtifactUpdate] = [7, 5, 7];
const ofTask: AnswerFields = new Map([[0, inTask]]);
const ofTasks: AnswerFields = new Map([[1, inTask]]);
const ofStream: AnswerFields = new Map([
  [1, inTask],
  [3, inStatusUpdate],
  [4, inArtifactUpdate],
]);

const methods: Readonly<Record<string, { readonly answer: AnswerFields; readonly request?: readonly RequestField[] }>> =
  {
    sendMessage: { answer: ofTasks, request: [ifGenerationMatch] },
    sendStreamingMessage: { answer: ofStream, request: [ifGenerationMatch] },
    getTask: { answer: ofTask, request: [currentGeneration] },
    listTasks: { answer: ofTasks },
    cancelTask: { answer: ofTask },
    subscribeToTask: { answer: ofStream },
  };

/** Fields from the bytes of a request, until its params are made. */
const asked = new WeakMap<object, (params: object) => object>();
/** Bytes to add to an answer, one for each of its tasks. */
const added = new WeakMap<object, readonly Generated[]>();

/** The service, with the fields of 1.1 for the methods that are `inPreview`. */
export function withPreviewFields(service: ServiceDefinition): ServiceDefinition {
  const entries = Object.entries(service).map(([name, method]) => {
    const fields = methods[name];
    return [name, fields ? { ...method, ...codecOf(method as Definition, fields) } : method];
  });
  return Object.fromEntries(entries);
}

function codecOf(
  { requestDeserialize, responseSerialize }: Definition,
  { request: fields = [], answer }: (typeof methods)[string],
): Partial<Definition> {
  return {
    requestDeserialize(bytes) {
      const request = requestDeserialize(bytes);
      const given = fields.flatMap(({ path, put }) => {
        const value = int64At(bytes, path);
        return value === undefined ? [] : (params: object) => put(params, value);
      });
      if (given.length > 0) asked.set(request, (params) => given.reduce((all, put) => put(all), params));
      return request;
    },
    responseSerialize(message) {
      const bytes = responseSerialize(message);
      const fields = added.get(message);
      return fields ? Buffer.from(withFields(bytes, answer, fields)) : bytes;
    },
  };
}

interface Translation<Request, Response> {
  readonly toParams: (request: Request) => unknown;
  readonly toMessage: (json: string) => Response;
}

/** A method of 1.0 whose params and messages have the fields of 1.1. */
export function inPreview<Request, Response, Method extends Translation<Request, Response>>(
  method: Method & Translation<Request, Response>,
): Method {
  return {
    ...method,
    toParams(request: Request) {
      const params = method.toParams(request);
      return asked.get(Object(request))?.(Object(params)) ?? params;
    },
    toMessage(json: string) {
      const message = method.toMessage(json);
      added.set(Object(message), fieldsIn(json));
      return message;
    },
  };
}

function fieldsIn(json: string): readonly Generated[] {
  const { tasks, task, statusUpdate, artifactUpdate, ...answer }: Answer = JSON.parse(json);
  return tasks ?? [task ?? statusUpdate ?? artifactUpdate ?? answer];
}

interface Generated {
  readonly generation?: string;
}

interface Answer extends Generated {
  readonly tasks?: readonly Generated[];
  readonly task?: Generated;
  readonly statusUpdate?: Generated;
  readonly artifactUpdate?: Generated;
}

/** The last value of a field, as protobuf defines it. A field of another type is unknown. */
function int64At(bytes: Uint8Array, [field, ...inside]: readonly number[]): number | undefined {
  const wanted = inside.length > 0 ? WireType.LengthDelimited : WireType.Varint;
  const reader = new BinaryReader(bytes);
  let found: number | undefined;
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    if (number !== field || type !== wanted) reader.skip(type, number);
    else found = inside.length > 0 ? (int64At(reader.bytes(), inside) ?? found) : Number(reader.int64());
  }
  return found;
}

function withFields(bytes: Uint8Array, fields: AnswerFields, answers: readonly Generated[]): Uint8Array {
  const own = fields.get(0);
  if (own !== undefined) return withGeneration(bytes, own, answers[0]);
  const [reader, writer] = [new BinaryReader(bytes), new BinaryWriter()];
  let nth = 0;
  while (reader.pos < reader.len) {
    const start = reader.pos;
    const [number, type] = reader.tag();
    const field = fields.get(number);
    if (field === undefined) {
      reader.skip(type, number);
      writer.raw(bytes.subarray(start, reader.pos));
    } else writer.tag(number, type).bytes(withGeneration(reader.bytes(), field, answers[nth++]));
  }
  return writer.finish();
}

/** Appends a field to a message. */
function withGeneration(message: Uint8Array, field: number, { generation }: Generated = {}): Uint8Array {
  if (generation === undefined) return message;
  return new BinaryWriter().raw(message).tag(field, WireType.Varint).int64(generation).finish();
}
