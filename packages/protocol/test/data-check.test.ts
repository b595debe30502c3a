import { describe, expect, it } from 'vitest';
import { DataCheck } from '../src/schemas/index.ts';

const wrong = (schema: object, data: unknown) =>
  new DataCheck({ ...schema }).violations(data, 'data').map(({ field, description }) => `${field} ${description}`);

describe('a check of data by a JSON Schema', () => {
  it.each<[string, object, unknown, string[]]>([
    ['types', { type: 'object', properties: { a: { type: 'number' } } }, { a: 'x' }, ['data.a must be a number']],
    ['another type', { type: 'object' }, 'text', ['data must be an object']],
    ['missing fields', { type: 'object', properties: { a: {} }, required: ['a'] }, {}, ['data.a is required']],
    [
      'lists',
      { type: 'array', items: { type: 'string' }, maxItems: 1 },
      ['a', 1],
      ['data must have at most 1 entries'],
    ],
    ['values', { enum: ['a', 'b'] }, 'c', ['data must be one of a, b']],
    ['forms', { anyOf: [{ type: 'string' }, { type: 'null' }] }, 3, ['data is not valid']],
    ['unknown fields', { type: 'object', additionalProperties: false }, { a: 1 }, ['data.a is not a known field']],
  ])('finds wrong %s', (_, schema, data, expected) => {
    expect(wrong(schema, data)).toEqual(expected);
  });

  it.each<[string, object, unknown]>([
    ['patterns', { type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(60)}!`],
    ['formats', { type: 'string', format: 'email' }, 'nobody'],
    ['unique entries', { type: 'array', uniqueItems: true }, [1, 1]],
    [
      'fields that a pattern allows',
      { type: 'object', patternProperties: { '^x': {} }, additionalProperties: false },
      { y: 1 },
    ],
    ['what recurs', { type: 'object', properties: { child: { $ref: '#' } } }, { child: 3 }],
    ['which of several forms it is', { oneOf: [{ pattern: 'a' }, { pattern: 'b' }] }, 'c'],
    ['values that are objects', { const: { a: 1 } }, { a: 2 }],
    ['what it does not know', { not: {}, if: {}, else: false }, 1],
  ])('leaves %s to the worker', (_, schema, data) => {
    expect(wrong(schema, data)).toEqual([]);
  });

  it('takes time in proportion to the data, also where forms are nested', () => {
    let schema: object = { type: 'string' };
    for (let depth = 0; depth < 12; depth++)
      schema = { type: 'object', properties: { a: { anyOf: [schema, { type: 'number' }] } } };
    let data: unknown = true;
    for (let depth = 0; depth < 5_000; depth++) data = { a: data };
    expect(wrong(schema, data)).toHaveLength(1);
  });
});
