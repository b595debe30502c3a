import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Message } from '../src/index.ts';
import { listTasksRequestSchema, messageSchema, parse, partSchema } from '../src/schemas/index.ts';
import { normaliserOf } from '../src/schemas/proto-json.ts';
import { objectsOf } from './specification/arbitraries.ts';
import { loosen } from './specification/loosen.ts';
import { specification } from './specification/specification.ts';

const message: Message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] };

describe.each(Object.entries(specification))('%s', (name, { schema }) => {
  test('is parsed to the same object from every form that ProtoJSON allows', () => {
    fc.assert(
      fc.property(objectsOf(name), fc.gen(), (object, draw) => {
        expect(parse(schema, loosen(name, object, draw))).toEqual(parse(schema, object));
      }),
    );
  });

  test('is not copied if it is already in the canonical form', () => {
    fc.assert(
      fc.property(objectsOf(name), (object) => {
        const canonical = parse(schema, object);
        expect(normaliserOf(schema)(canonical)).toBe(canonical);
      }),
    );
  });
});

test('null in "data" is a value; null in any other field means unset', () => {
  expect(parse(partSchema, { data: null })).toEqual({ data: null });
  expect(parse(partSchema, { text: null, url: 'file:///a', filename: null, data: undefined })).toEqual({
    url: 'file:///a',
  });
});

test('an empty "text" is set, because a member of a oneof has presence', () => {
  expect(parse(partSchema, { text: '', mediaType: '' })).toEqual({ text: '' });
});

test('if a field has both its names, the camelCase one is used', () => {
  const { messageId, ...rest } = message;
  for (const value of [
    { messageId, message_id: 'other', ...rest },
    { message_id: 'other', messageId, ...rest },
    { message_id: messageId, messageId: null, ...rest },
    { messageId: null, message_id: messageId, ...rest },
  ]) {
    expect(parse(messageSchema, value)).toEqual(message);
  }
});

test('parse does not change its input', () => {
  const given = { message_id: 'm', role: 1, parts: [{ text: 'hello', media_type: 'a/b' }], contextId: '' };
  const before = structuredClone(given);
  expect(parse(messageSchema, given)).toEqual({ ...message, parts: [{ text: 'hello', mediaType: 'a/b' }] });
  expect(given).toEqual(before);
});

test.each([
  ['2026-01-31T10:00:00Z', '2026-01-31T10:00:00.000Z'],
  ['2026-01-31T10:00:00.1Z', '2026-01-31T10:00:00.100Z'],
  ['2026-01-31T10:00:00.123456789Z', '2026-01-31T10:00:00.123Z'],
  ['2026-01-31T10:00:00+02:00', '2026-01-31T08:00:00.000Z'],
  ['2024-02-29T23:59:59.999-00:30', '2024-03-01T00:29:59.999Z'],
])('the timestamp %s is parsed to %s', (given, canonical) => {
  expect(parse(listTasksRequestSchema, { statusTimestampAfter: given })).toEqual({ statusTimestampAfter: canonical });
});

test('the strings of a query are parsed to numbers and booleans according to the fields', () => {
  const query = { pageSize: '20', historyLength: '0', includeArtifacts: 'true', status: 'TASK_STATE_WORKING' };
  expect(parse(listTasksRequestSchema, query)).toEqual({
    ...query,
    pageSize: 20,
    historyLength: 0,
    includeArtifacts: true,
  });
});

describe('a key __proto__', () => {
  const fromWire = (json: string): unknown => JSON.parse(json);

  test('of metadata remains a key', () => {
    const json = '{"data":{"__proto__":{"polluted":1}},"metadata":{"__proto__":{"polluted":2}}}';
    expect(JSON.stringify(parse(partSchema, fromWire(json)))).toBe(json);
  });

  test('of an object of the protocol is an unknown field', () => {
    const value = fromWire('{"__proto__":{"text":"hidden"},"url":"x","media_type":"a/b"}');
    const part = parse(partSchema, value);
    expect(part).toEqual({ url: 'x', mediaType: 'a/b' });
    expect(Object.getPrototypeOf(part)).toBe(Object.prototype);
    expect(part.text).toBeUndefined();
  });

  test('does not pollute Object.prototype', () => {
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });
});

test('a strict schema takes the names of the protobuf definition, also of unset fields, and no others', () => {
  const strict = listTasksRequestSchema.strict();
  expect(parse(strict, { page_size: null, context_id: 'c', status: null })).toEqual({ contextId: 'c' });
  expect(() => parse(strict, { page_sizes: 1 })).toThrow('page_sizes is not a known field');
});

test('of a list that is too long only its beginning is read', () => {
  const parts: unknown[] = Array.from({ length: 100_000 }, () => ({ text: 'a' }));
  const unread = { get: () => expect.unreachable('an entry far beyond the limit was read') };
  Object.defineProperty(parts, 50_000, unread);
  expect(() => parse(messageSchema, { messageId: 'm', role: 'ROLE_USER', parts })).toThrow('parts must have at most');
});
