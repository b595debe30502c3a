import { parse } from '@switchyard/protocol';
import type { EventId } from '@switchyard/store';
import type { z } from 'zod';
import type { Call } from '../call/call.ts';

/** The answer to a call, as JSON that goes into the binding's envelope as it is. */
export interface Reply {
  /** A text, or what is stored, as bytes. Absent when the caller has this version already. */
  readonly json?: string | Buffer | undefined;
  /** Of a task: changes whenever the task does. */
  readonly version?: string;
}

/** One event of a stream, after which one that was cut is resumed. */
export interface StreamItem extends EventId {
  /** A2A StreamResponse. */
  readonly json: string;
}

/** An A2A operation as bindings see it: parameters of any shape in, checked on the way. */
export type Operation = UnaryOperation | StreamingOperation;

export interface UnaryOperation {
  readonly kind: 'unary';
  /** @throws {A2AError} */
  invoke(call: Call, params: unknown): Promise<Reply>;
}

export interface StreamingOperation {
  readonly kind: 'streaming';
  /** Resolves once the stream can begin; what is refused is refused before. @throws {A2AError} */
  invoke(call: Call, params: unknown): Promise<AsyncIterable<StreamItem>>;
}

export function unary<Schema extends z.ZodType>(
  schema: Schema,
  run: (call: Call, request: z.output<Schema>) => Promise<Reply>,
): UnaryOperation {
  return { kind: 'unary', invoke: async (call, params) => run(call, parse(schema, params)) };
}

export function streaming<Schema extends z.ZodType>(
  schema: Schema,
  run: (call: Call, request: z.output<Schema>) => Promise<AsyncIterable<StreamItem>>,
): StreamingOperation {
  return { kind: 'streaming', invoke: async (call, params) => run(call, parse(schema, params)) };
}
