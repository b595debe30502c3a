import { rerunUri, resumableStreamsUri, skillUri } from '@switchyard/protocol';
import fc from 'fast-check';

/** Stands for the id of an existing task when the input is sent: completed, waiting for input, with a webhook. */
export const knownTasks = ['a', 'b', 'c'].map((end) => `00000000-0000-4000-8000-00000000000${end}`);

/** One of these texts, which are separated by `|`. */
export const oneOf = (texts: string): fc.Arbitrary<string> => fc.constantFrom(...texts.split('|'));

/** Chosen by their weights. */
export const weighted = <T>(...choices: readonly (readonly [number, fc.Arbitrary<T>])[]): fc.Arbitrary<T> =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));

/** Texts that break parsers. */
export const oddTexts: fc.Arbitrary<string> = fc.oneof(
  oneOf(
    [
      '| |\u0000|\ud800|\uffff|../..|%2e%2e%2f|%|%ff|__proto__|constructor|toString|-1|0|1e999|NaN|null|{}|[]|*|?|{x}',
      `'|"|\\|\r\n|\n\ndata: x|@push|🍕|${'é'.repeat(300)}|${'x'.repeat(70_000)}|a:b:c|data:,x`,
      '2020-01-01T00:00:00Z|0000-00-00|+275760-09-13T00:00:00Z|1970-01-01T00:00:00.000000000000001Z',
      'file:///etc/passwd|https://example.com',
    ].join('|'),
  ),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
);

export const ids: fc.Arbitrary<string> = weighted([4, fc.constantFrom(...knownTasks)], [2, fc.uuid()], [1, oddTexts]);

const oddNumbers = fc.constantFrom(0, -0, -1, 1, 0.5, 101, 2 ** 31, 2 ** 53, 2 ** 64, 1e308, -1e308, 5e-324);

const deep = fc
  .tuple(fc.constantFrom('list', 'object'), fc.integer({ min: 1, max: 300 }))
  .map(([kind, depth]) => Array.from({ length: depth }).reduce((at) => (kind === 'list' ? [at] : { a: at }), 1));

/** Any JSON, mostly of an unusual kind. */
export const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, true, false, [], {}, [null], [[]], JSON.parse('{"__proto__": {"a": 1}}')),
  oddNumbers,
  oddTexts,
  ids,
  deep,
  fc.jsonValue({ maxDepth: 3 }),
);

/** Valid in 12 of 13 cases, otherwise anything. */
export const mostly = (usual: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => weighted([12, usual], [1, anything]);

export type Fields = Readonly<Record<string, fc.Arbitrary<unknown>>>;

/** An object with some of these members, mostly valid, and sometimes an additional one. */
export function some(fields: Fields, required: readonly string[] = []): fc.Arbitrary<unknown> {
  const members = Object.fromEntries(Object.entries(fields).map(([name, usual]) => [name, mostly(usual)]));
  const usual = fc.record(members, { requiredKeys: [...required] });
  const more = fc.tuple(usual, fc.oneof(oddTexts, fc.constantFrom('id', ...Object.keys(fields))), anything);
  return weighted([9, usual], [1, more.map(([object, name, value]) => ({ ...object, [name]: value }))]);
}

/** Values of headers that go beyond A2A 1.0, or of the gRPC metadata of the same names. */
export const extensionHeaders = {
  'a2a-extensions': oneOf(`x|,|${rerunUri}, ${skillUri}|${resumableStreamsUri},${skillUri},${rerunUri}`),
  'last-event-id': oneOf('1|-1|0|x|1-1|3-k3x9a|99999999999999999999|a:b:c|1:2'),
  'idempotency-key': oneOf(`one|two|"one"||""|"a\\|${'x'.repeat(300)}`),
} as const;
