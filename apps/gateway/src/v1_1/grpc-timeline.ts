import { Message, TaskStatusUpdateEvent } from '@a2a-js/sdk';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { TimelineEntry } from './timeline.ts';

/** Fields of a task's JSON that are not in the messages of 1.0. */
export interface TimelineFields {
  readonly artifacts?: readonly { readonly startGeneration?: string; readonly endGeneration?: string }[];
  readonly timeline?: readonly TimelineEntry[];
}

const [artifacts, timeline] = [4, 8];
const [startGeneration, endGeneration] = [7, 8];
const entryOf = { message: 1, status: 2, generation: 3 };

/** A Task with the fields of pull request 2129, by their numbers there. */
export function withTimelineFields(task: Uint8Array, fields: TimelineFields): Uint8Array {
  if (!fields.timeline) return task;
  const [reader, writer] = [new BinaryReader(task), new BinaryWriter()];
  let nth = 0;
  while (reader.pos < reader.len) {
    const start = reader.pos;
    const [number, type] = reader.tag();
    if (number !== artifacts) {
      reader.skip(type, number);
      writer.raw(task.subarray(start, reader.pos));
      continue;
    }
    const range = fields.artifacts?.[nth++];
    writer.tag(number, type).fork().raw(reader.bytes());
    int64(writer, startGeneration, range?.startGeneration);
    int64(writer, endGeneration, range?.endGeneration);
    writer.join();
  }
  for (const entry of fields.timeline) {
    writer.tag(timeline, WireType.LengthDelimited).fork();
    writeEntry(writer, entry);
    writer.join();
  }
  return writer.finish();
}

function writeEntry(writer: BinaryWriter, { message, status, generation }: TimelineEntry): void {
  if (message) writer.tag(entryOf.message, WireType.LengthDelimited).bytes(messageBytes(message));
  if (status) writer.tag(entryOf.status, WireType.LengthDelimited).bytes(statusBytes(status));
  int64(writer, entryOf.generation, generation);
}

function int64(writer: BinaryWriter, field: number, value: string | undefined): void {
  if (value !== undefined) writer.tag(field, WireType.Varint).int64(value);
}

/** The SDK only encodes messages of the service, so the result is cut out of one. */
function messageBytes(message: object): Uint8Array {
  const value = Message.fromJSON(message);
  return fieldIn(A2AService.sendMessage.responseSerialize({ payload: { $case: 'message', value } }), 2);
}

function statusBytes(status: object): Uint8Array {
  const value = TaskStatusUpdateEvent.fromJSON({ status });
  const update = A2AService.subscribeToTask.responseSerialize({ payload: { $case: 'statusUpdate', value } });
  return fieldIn(fieldIn(update, 3), 3);
}

function fieldIn(bytes: Uint8Array, wanted: number): Uint8Array {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    if (number === wanted && type === WireType.LengthDelimited) return reader.bytes();
    reader.skip(type, number);
  }
  return new Uint8Array();
}
