import fc from 'fast-check';
import { anything, knownTasks, oddTexts } from './values.ts';

/** One request, as it is kept in a file. Texts may name tasks by their place in `knownTasks`. */
export type Input =
  | {
      readonly kind: 'http';
      readonly method: string;
      readonly path: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** What is written to a connection, in base64. */
  | { readonly kind: 'raw'; readonly bytes: string }
  /** @property frame what is sent of the call's body, in base64 */
  | {
      readonly kind: 'grpc';
      readonly method: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly frame: string;
    };

/** With other contents: body, bytes or frame, of which the latter have a character for each byte. */
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

/** With the ids of those tasks. They are as long as what stands for them, so that lengths within frames stay true. */
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

/** Inputs that have shown something new, changed a little: a piece goes, is doubled, or gets another text in its place. */
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
