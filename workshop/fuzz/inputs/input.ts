import fc from 'fast-check';
import { anything, knownTasks, oddTexts } from './values.ts';

/** One request, as stored in a file. Texts can name tasks by their placeholders in `knownTasks`. */
export type Input =
  | {
      readonly kind: 'http';
      readonly method: string;
      readonly path: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** The bytes written to a connection, in base64. */
  | { readonly kind: 'raw'; readonly bytes: string }
  /** @property frame the body of the call, in base64 */
  | {
      readonly kind: 'grpc';
      readonly method: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly frame: string;
    };

/** With other contents: body, bytes or frame; the latter two have a character for each byte. */
function withContents(input: Input, change: (text: string) => string): Input {
  const bytes = (base64: string): string =>
    Buffer.from(change(Buffer.from(base64, 'base64').toString('latin1')), 'latin1').toString('base64');
  switch (input.kind) {
    case 'http':
      return input.body === undefined ? input : { ...input, body: change(input.body) };
    case 'raw':
      return { ...input, bytes: bytes(input.bytes) };
    case 'grpc':
      return { ...input, frame: bytes(input.frame) };
  }
}

/**
 * Replaces placeholders by the ids of tasks, which have the same length, so that lengths within frames stay correct.
 */
export function withTasks(input: Input, taskIds: readonly string[]): Input {
  const put = (text: string): string =>
    knownTasks.reduce((whole, name, i) => whole.replaceAll(name, taskIds[i] ?? name), text);
  const changed = withContents(input, put);
  return changed.kind === 'http' ? { ...changed, path: put(changed.path) } : changed;
}

const odd = fc.oneof(
  oddTexts,
  anything.map((value) => JSON.stringify(value) ?? ''),
);

/** Mutates an input that has covered a new branch: a piece is removed, doubled, or replaced by another text. */
export function mutantsOf(kept: readonly Input[]): fc.Arbitrary<Input> {
  const change = fc.tuple(fc.nat(), fc.nat(30), odd, fc.nat(3)).map(([place, length, put, kind]) => (text: string) => {
    const at = text.length === 0 ? 0 : place % text.length;
    const piece = text.slice(at, at + length);
    const instead = ['', piece + piece, put, piece + put][kind] ?? '';
    return text.slice(0, at) + instead + text.slice(at + length);
  });
  return fc.tuple(fc.nat(), fc.array(change, { minLength: 1, maxLength: 3 })).map(([n, changes]) => {
    const input = kept[n % kept.length];
    if (!input) throw new Error('there is nothing to change');
    return withContents(input, (text) => changes.reduce((whole, one) => one(whole), text));
  });
}
