import { responseWithGeneration, taskWithGeneration } from '@switchyard/store';
import type { StreamItem, UnaryResult } from '../operations/operation.ts';

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
