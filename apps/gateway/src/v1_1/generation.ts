import { type Json, withTextAfter } from '@switchyard/store';
import type { StreamItem, UnaryResult } from '../operations/operation.ts';

/*
 * The generation of a task is the number of its last event (`seq`): 1 when it is made, and one more with every event
 * (docs/a2a-1.1.md). JSON has it as a text, as ProtoJSON writes an int64. It is put into the stored JSON, unparsed.
 */

const ofTask = ['{'];
const ofResponse = ['{"task":{', '{"statusUpdate":{', '{"artifactUpdate":{'];

const member = (seq: number): string => `"generation":"${seq}",`;

export function taskWithGeneration(task: Json, seq: number): Json {
  return withTextAfter(task, ofTask, member(seq));
}

/** A SendMessageResponse or a StreamResponse. A plain Message has no generation. */
function responseWithGeneration(response: Json, seq: number): Json {
  return withTextAfter(response, ofResponse, member(seq));
}

/** An answer that is a task. */
export function asTask({ json, seq = 0, ...result }: UnaryResult): UnaryResult {
  return { ...result, json: json && taskWithGeneration(json, seq) };
}

/** An answer that has a task. */
export function asResponse({ json, seq = 0 }: UnaryResult): UnaryResult {
  return { json: json && responseWithGeneration(json, seq) };
}

/** Not a generator: it would keep the last event, which may be a large task, until the next one. */
export function withGenerations(items: AsyncIterable<StreamItem>): AsyncIterable<StreamItem> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = items[Symbol.asyncIterator]();
      return {
        async next() {
          const { done, value } = await iterator.next();
          if (done) return { done, value: undefined };
          return { done: false, value: { ...value, json: responseWithGeneration(value.json, value.seq) } };
        },
        async return() {
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
