import * as sdk from '@a2a-js/sdk';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from '../src/schemas/index.ts';
import { objectsOf } from './specification/arbitraries.ts';
import { withoutKnownLosses } from './specification/known-losses.ts';
import { specification } from './specification/specification.ts';

interface Codec {
  fromJSON(object: unknown): unknown;
  toJSON(message: unknown): unknown;
}

function isCodec(value: unknown): value is Codec {
  return typeof value === 'object' && value !== null && 'fromJSON' in value && 'toJSON' in value;
}

function codecOf(name: string): Codec {
  const codec: unknown = Reflect.get(sdk, name);
  if (!isCodec(codec)) throw new Error(`The SDK has no ${name}`);
  return codec;
}

const onTheWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** The message types of the SDK, without the entries of its maps (`…Entry`). */
const sdkNames = Object.keys(sdk).filter((name) => isCodec(Reflect.get(sdk, name)) && !name.endsWith('Entry'));

test('the published SDK and this package have the same objects', () => {
  expect(sdkNames.sort()).toEqual(Object.keys(specification).sort());
});

describe.each(Object.entries(specification))('%s', (name, { schema }) => {
  const codec = codecOf(name);

  test('in the canonical form of the specification is parsed without a change', () => {
    fc.assert(
      fc.property(objectsOf(name), (object) => {
        expect(parse(schema, object)).toMatchObject(object);
      }),
    );
  });

  test('is read and written by the published SDK without a loss, except for the known ones', () => {
    fc.assert(
      fc.property(objectsOf(name), (object) => {
        const ours = parse(schema, object);
        const theirs = onTheWire(codec.toJSON(codec.fromJSON(ours)));
        expect(theirs).toEqual(withoutKnownLosses(name, ours));
      }),
    );
  });

  test('as the published SDK writes it is parsed to the same object', () => {
    fc.assert(
      fc.property(objectsOf(name).filter(hasNoNullData), (object) => {
        const theirs = onTheWire(codec.toJSON(codec.fromJSON(object)));
        expect(withoutKnownLosses(name, parse(schema, theirs))).toEqual(withoutKnownLosses(name, object));
      }),
    );
  });
});

/** The SDK writes a part whose data is null as a part without content, which is not valid. */
function hasNoNullData(object: unknown): boolean {
  return !JSON.stringify(object).includes('"data":null');
}
