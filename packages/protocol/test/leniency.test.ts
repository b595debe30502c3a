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
  test('is the same, however a ProtoJSON writer puts it', () => {
    fc.assert(
      fc.property(objectsOf(name), fc.gen(), (object, draw) => {
        expect(parse(schema, loosen(name, object, draw))).toEqual(parse(schema, object));
      }),
    );
  });

  test('is not copied to be normalised when it is normal', () => {
    fc.assert(
      fc.property(objectsOf(name), (object) => {
        const canonical = parse(schema, object);
        expect(normaliserOf(schema)(canonical)).toBe(canonical);
      }),
    );
  });
});

test('null data is a value, null everything else is unset', () => {
  expect(parse(partSchema, { data: null })).toEqual({ data: null });
  expect(parse(partSchema, { text: null, url: 'file:///a', filename: null, data: undefined })).toEqual({
    url: 'file:///a',
  });
});

test('an empty text is a text: a member of a oneof has presence', () => {
  expect(parse(partSchema, { text: '', mediaType: '' })).toEqual({ text: '' });
});

test('of a field that is given by both its names, the camelCase one counts', () => {
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

test('what is given is never changed', () => {
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
])('the time %s is %s', (given, normal) => {
  expect(parse(listTasksRequestSchema, { statusTimestampAfter: given })).toEqual({ statusTimestampAfter: normal });
});

test('the strings of a query are numbers and booleans where the request has them', () => {
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

  test('of metadata stays a key', () => {
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

  test('pollutes nothing', () => {
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });
});
