import fc from 'fast-check';
import type { Input } from './input.ts';
import { anything, oddTexts } from './values.ts';

/** What may happen to a text: a piece goes, is doubled, or gets another text in its place. */
const change = fc.tuple(
  fc.nat(),
  fc.nat(30),
  fc.oneof(
    oddTexts,
    anything.map((value) => JSON.stringify(value) ?? ''),
  ),
  fc.nat(3),
);

function changed(text: string, [place, length, put, kind]: readonly [number, number, string, number]): string {
  const at = text.length === 0 ? 0 : place % text.length;
  const piece = text.slice(at, at + length);
  const instead = kind === 0 ? '' : kind === 1 ? piece + piece : kind === 2 ? put : `${piece}${put}`;
  return text.slice(0, at) + instead + text.slice(at + length);
}

/** Inputs that have shown something new, changed a little. */
export function mutantsOf(kept: readonly Input[]): fc.Arbitrary<Input> {
  return fc.tuple(fc.nat(), fc.array(change, { minLength: 1, maxLength: 3 })).map(([n, changes]) => {
    const input = kept[n % kept.length];
    if (!input) throw new Error('there is nothing to change');
    const all = (text: string): string => changes.reduce(changed, text);
    const bytes = (base64: string): string =>
      Buffer.from(all(Buffer.from(base64, 'base64').toString('latin1')), 'latin1').toString('base64');
    if (input.kind === 'raw') return { ...input, bytes: bytes(input.bytes) };
    if (input.kind === 'grpc') return { ...input, frame: bytes(input.frame) };
    return input.body === undefined ? input : { ...input, body: all(input.body) };
  });
}
