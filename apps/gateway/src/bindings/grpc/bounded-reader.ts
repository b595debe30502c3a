import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import type { ServiceDefinition } from '@grpc/grpc-js';
import { invalidParams } from '@switchyard/protocol';
import { tooManyValues } from '../../exchange/read-json.ts';
import { unknownFields } from '../unknown-configuration.ts';

/** A member of a map has most: its entry, key and value each have a tag, and a length if they are nested. */
const NUMBERS_PER_VALUE = 7;

/** Counts the numbers that a decoder reads, and notes a field that it does not know. */
class BoundedReader extends BinaryReader {
  unknownField: number | undefined;
  #last = 0;

  constructor(bytes: Uint8Array, maxValues: number) {
    super(bytes);
    const read = this.uint32;
    let left = maxValues * NUMBERS_PER_VALUE;
    // The constructor of the library sets this method, so that it cannot be overridden.
    this.uint32 = () => {
      if (--left < 0) throw tooManyValues(maxValues);
      this.#last = read.call(this);
      return this.#last;
    };
  }

  override skip(...field: Parameters<BinaryReader['skip']>): Uint8Array {
    this.unknownField ??= this.#last >>> 3;
    return super.skip(...field);
  }
}

/** The configuration of messages: its field number, and the largest number of a field in it. */
export interface ConfigurationFields {
  readonly at: number;
  readonly last: number;
}

interface Bounds {
  readonly maxValues: number;
  /** Unset: unknown fields in it are ignored. */
  readonly configuration?: ConfigurationFields | undefined;
}

/**
 * A service that refuses messages with too many values, as `hasMoreValues` does for JSON, and lists with a parameter
 * that it does not know.
 */
export function boundedService(service: ServiceDefinition, { maxValues, configuration }: Bounds): ServiceDefinition {
  const methods = Object.entries(service).map(([name, method]) => {
    const isList = name.toLowerCase().startsWith('list');
    const requestDeserialize = (bytes: Buffer): unknown => {
      if (!isList && bytes.length <= maxValues * NUMBERS_PER_VALUE) return method.requestDeserialize(bytes);
      const reader = new BoundedReader(bytes, maxValues);
      // The SDK's decoders also take a reader, which the type of a method does not say.
      const request: unknown = method.requestDeserialize(reader as unknown as Buffer);
      if (isList && reader.unknownField !== undefined)
        throw invalidParams([{ field: `field ${reader.unknownField}`, description: 'is not a known field' }]);
      return request;
    };
    if (!configuration || !name.startsWith('send')) return [name, { ...method, requestDeserialize }];
    const strictly = (bytes: Buffer): unknown => {
      const request = requestDeserialize(bytes);
      requireKnownFields(bytes, configuration);
      return request;
    };
    return [name, { ...method, requestDeserialize: strictly }];
  });
  return Object.fromEntries(methods);
}

/** @throws {A2AError} InvalidParams: names the first unknown field of each configuration by its number */
function requireKnownFields(bytes: Uint8Array, { at, last }: ConfigurationFields): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field !== at || type !== WireType.LengthDelimited) reader.skip(type, field);
    else {
      const unknown = firstFieldBeyond(last, reader.bytes());
      if (unknown !== undefined) throw unknownFields([`configuration.field ${unknown}`]);
    }
  }
}

function firstFieldBeyond(last: number, bytes: Uint8Array): number | undefined {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field > last) return field;
    reader.skip(type, field);
  }
  return undefined;
}
