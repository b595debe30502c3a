import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parse } from '../src/schemas/index.ts';
import { rightValue, smallest, wrongValues } from './specification/examples.ts';
import { entryOf, type Field } from './specification/field.ts';
import { specification } from './specification/specification.ts';
import { violatedFields } from './violated-fields.ts';

describe.each(Object.entries(specification))('%s', (name, { section, schema, fields }) => {
  test(`has exactly the fields of §${section}`, () => {
    expect(schema).toBeInstanceOf(z.ZodObject);
    if (schema instanceof z.ZodObject) expect(Object.keys(schema.shape).sort()).toEqual(Object.keys(fields).sort());
  });

  test('is valid with only its required fields', () => {
    expect(parse(schema, smallest(name))).toMatchObject(smallest(name));
  });

  test('ignores unknown fields', () => {
    const known = parse(schema, smallest(name));
    expect(parse(schema, { ...smallest(name), unknown: 1, __proto: 2 })).toEqual(known);
  });

  test('is refused if it is not an object', () => {
    for (const value of [null, undefined, 5, 'text', []]) expect(violatedFields(schema, value)).toEqual(['(root)']);
  });

  describe.each(Object.entries(fields))('%s', (fieldName, field) => {
    const { type } = field;
    const around = withoutOthers(name, field);

    test(`is of type ${type}`, () => {
      const value = rightValue(type);
      expect(parse(schema, { ...around, [fieldName]: value })).toMatchObject({ [fieldName]: value });
    });

    test('of another type is refused with its name', () => {
      for (const wrong of wrongValues(type)) {
        expect(violatedFields(schema, { ...around, [fieldName]: wrong })).toEqual([fieldName]);
      }
    });

    test(`is ${field.presence}`, () => {
      const { [fieldName]: _, ...without } = around;
      for (const absent of [without, ...asUnset(fieldName, field).map((unset) => ({ ...without, ...unset }))]) {
        expect(violatedFields(schema, absent)).toEqual(violationsWithout(fieldName, field));
      }
    });

    const entryType = entryOf(type);
    if (!entryType) return;

    if (field.presence === 'required') {
      test('must not be empty', () => {
        expect(violatedFields(schema, { ...around, [fieldName]: [] })).toEqual([fieldName]);
      });
    }

    test('with a wrong entry is refused with the index of the entry', () => {
      const list = [rightValue(entryType), null];
      expect(violatedFields(schema, { ...around, [fieldName]: list })).toEqual([`${fieldName}[1]`]);
    });
  });
});

/** The smallest valid object; if the field is a member of a `oneof`, without the members. */
function withoutOthers(name: string, { presence }: Field): Record<string, unknown> {
  const members = specification[name]?.fields ?? {};
  const kept = Object.entries(smallest(name)).filter(
    ([other]) => presence !== 'one of' || members[other]?.presence !== 'one of',
  );
  return Object.fromEntries(kept);
}

function asUnset(fieldName: string, { type }: Field): Record<string, unknown>[] {
  return type === 'Value' ? [{ [fieldName]: undefined }] : [{ [fieldName]: null }, { [fieldName]: undefined }];
}

function violationsWithout(fieldName: string, { presence }: Field): string[] {
  if (presence === 'required') return [fieldName];
  return presence === 'one of' ? ['(root)'] : [];
}
