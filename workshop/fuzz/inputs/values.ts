import fc from 'fast-check';
import { knownTasks } from './input.ts';

/** Texts that some parser somewhere has stumbled over. */
export const oddTexts: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...[
      '',
      ' ',
      '\u0000',
      '\ud800',
      '\uffff',
      '../..',
      '%2e%2e%2f',
      '%',
      '%ff',
      '__proto__',
      'constructor',
      'toString',
    ],
    ...['-1', '0', '1e999', 'NaN', 'null', '{}', '[]', '*', '?', '{x}', "'", '"', '\\', '\r\n', '\n\ndata: x', '@push'],
    ...['2020-01-01T00:00:00Z', '0000-00-00', '+275760-09-13T00:00:00Z', '1970-01-01T00:00:00.000000000000001Z'],
    ...['🍕', 'é'.repeat(300), 'x'.repeat(70_000), 'a:b:c', 'file:///etc/passwd', 'https://example.com', 'data:,x'],
  ),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
);

export const ids: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...knownTasks) },
  { weight: 2, arbitrary: fc.uuid() },
  { weight: 1, arbitrary: oddTexts },
);

const oddNumbers = fc.constantFrom(0, -0, -1, 1, 0.5, 101, 2 ** 31, 2 ** 53, 2 ** 64, 1e308, -1e308, 5e-324);

const deep = fc
  .tuple(fc.constantFrom('list', 'object'), fc.integer({ min: 1, max: 300 }))
  .map(([kind, depth]) => Array.from({ length: depth }).reduce((at) => (kind === 'list' ? [at] : { a: at }), 1));

/** Any JSON, more often than not of an odd kind. */
export const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, true, false, [], {}, [null], [[]], JSON.parse('{"__proto__": {"a": 1}}')),
  oddNumbers,
  oddTexts,
  ids,
  deep,
  fc.jsonValue({ maxDepth: 3 }),
);

/** As a rule what belongs there; now and then anything else. */
export const mostly = <T>(usual: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: anything });

type Fields = Readonly<Record<string, fc.Arbitrary<unknown>>>;

/** An object with some of these members, and now and then one too many. */
export function some(fields: Fields, required: readonly string[] = []): fc.Arbitrary<unknown> {
  const usual = fc.record(fields, { requiredKeys: [...required] });
  const more = fc.tuple(usual, fc.oneof(oddTexts, fc.constantFrom('id', ...Object.keys(fields))), anything);
  return fc.oneof(
    { weight: 9, arbitrary: usual },
    { weight: 1, arbitrary: more.map(([object, name, value]) => ({ ...object, [name]: value })) },
  );
}
