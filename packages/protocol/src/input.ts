import type { Message } from './objects/task.ts';

/** A JSON Schema (draft 2020-12). */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What a message lacks that `inputPart` cannot find. */
export const inputIsMissing = 'must have exactly one data part: the input that this agent works on';

/**
 * Position of the one data part of a message: the input of the task that it creates (docs/extensions/input.md).
 * @returns undefined: it has none, or several
 */
export function inputPart({ parts }: Pick<Message, 'parts'>): number | undefined {
  const found = parts.flatMap(({ data }, i) => (data === undefined ? [] : [i]));
  return found.length === 1 ? found[0] : undefined;
}
