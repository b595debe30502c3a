import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { isThorough } from '../../../tests/support/thorough.ts';
import { A2AError, invalidParams } from '../src/index.ts';
import {
  createTaskPushNotificationConfigRequestSchema,
  parse,
  partSchema,
  sendMessageRequestSchema,
  taskPushNotificationConfigSchema,
} from '../src/schemas/index.ts';
import { objectsOf } from './specification/arbitraries.ts';
import { breakagesOf, replaceAt } from './specification/breakages.ts';
import { violatedFields } from './violated-fields.ts';

const request = {
  message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] },
  configuration: { historyLength: 3 },
};

function failureOf(value: unknown, path?: string): A2AError {
  try {
    parse(sendMessageRequestSchema, value, path);
  } catch (error) {
    if (error instanceof A2AError) return error;
    throw error;
  }
  throw new Error('parse has accepted the value');
}

/** Requests of a random search. */
const numRuns = isThorough ? 2_000 : 300;

test('requests with one wrong field are refused, each with the name of the field', () => {
  fc.assert(
    fc.property(objectsOf('SendMessageRequest'), fc.gen(), (right, draw) => {
      const { path, put, violated } = draw(fc.constantFrom, ...breakagesOf('SendMessageRequest', right));
      expect(violatedFields(sendMessageRequestSchema, replaceAt(right, path, put))).toEqual([violated]);
    }),
    { numRuns },
  );
});

test('arbitrary values are accepted or refused as InvalidParams, without another error', () => {
  fc.assert(
    fc.property(fc.anything({ maxDepth: 4 }), (value) => {
      violatedFields(sendMessageRequestSchema, value);
      violatedFields(sendMessageRequestSchema, { message: value, configuration: value });
      violatedFields(sendMessageRequestSchema, { message: { ...request.message, parts: [value] } });
    }),
    { numRuns },
  );
});

test('an error names every wrong field with a reason', () => {
  const message = { role: 'ROLE_KING', parts: [{}, { text: 1, filename: 2 }], extensions: [3], metadata: [] };
  const { code, violations } = failureOf({ message, configuration: { historyLength: -1, returnImmediately: 'no' } });
  expect(code).toBe('InvalidParams');
  expect(violations).toEqual([
    { field: 'message.messageId', description: 'is required' },
    { field: 'message.role', description: 'must be one of ROLE_USER, ROLE_AGENT' },
    { field: 'message.parts[0]', description: 'must have exactly one of text, raw, url, data' },
    { field: 'message.parts[1].text', description: 'must be a string' },
    { field: 'message.parts[1].filename', description: 'must be a string' },
    { field: 'message.metadata', description: 'must be an object' },
    { field: 'message.extensions[0]', description: 'must be a string' },
    { field: 'configuration.historyLength', description: 'must be at least 0' },
    { field: 'configuration.returnImmediately', description: 'must be true or false' },
  ]);
});

test.each([
  ['missing', undefined, 'is required'],
  ['empty', '', 'must not be empty'],
  ['too long', 'x'.repeat(257), 'must have at most 256 characters'],
  ['unprintable', 'a\nb', 'must consist of printable characters'],
  ['of another type, and empty', [], 'must be a string'],
])('an id that is %s is refused for one reason', (_, messageId, description) => {
  const { violations } = failureOf({ message: { ...request.message, messageId } });
  expect(violations).toEqual([{ field: 'message.messageId', description }]);
});

test.each([
  ['missing', undefined, 'is required'],
  ['unspecified', 'ROLE_UNSPECIFIED', 'is required'],
  ['unknown', 'ROLE_KING', 'must be one of ROLE_USER, ROLE_AGENT'],
])('a role that is %s is refused', (_, role, description) => {
  expect(failureOf({ message: { ...request.message, role } }).violations).toEqual([
    { field: 'message.role', description },
  ]);
});

test('the message of an error has three violations and the number of the others', () => {
  expect(failureOf({}).message).toBe('Invalid parameters: message is required');
  const { message, violations } = failureOf({ message: {} });
  expect(message).toBe(
    `Invalid parameters: ${violations.map(({ field, description }) => `${field} ${description}`).join('; ')}`,
  );
  expect(violations).toHaveLength(3);
  expect(invalidParams(Array.from('abcde', (field) => ({ field, description: 'is required' }))).message).toBe(
    'Invalid parameters: a is required; b is required; c is required (and 2 more)',
  );
  expect(failureOf(null).message).toBe('Invalid parameters: (root) must be an object');
});

test('a caller can give the path of the value, with which the fields begin', () => {
  expect(failureOf({ message: {} }, 'params').violations[0]?.field).toBe('params.message.messageId');
  expect(failureOf([], 'params').violations[0]?.field).toBe('params');
});

test('a push configuration needs a taskId when it is created, but not within a message (§3.2.2)', () => {
  const config = { url: 'https://client.example/hook' };
  expect(violatedFields(createTaskPushNotificationConfigRequestSchema, config)).toEqual(['taskId']);
  expect(violatedFields(taskPushNotificationConfigSchema, config)).toEqual([]);
});

describe('a part', () => {
  test.each([
    ['no content', {}],
    ['two contents', { text: 'a', url: 'https://a.example' }],
    ['null data beside a text', { text: 'a', data: null }],
    ['four contents', { text: '', raw: '', url: '', data: 0 }],
  ])('with %s is refused as a whole', (_, part) => {
    expect(violatedFields(partSchema, part)).toEqual(['(root)']);
  });
});

test('each unknown field of a strict object is named, also beside a value that is normalised', () => {
  const schema = z.object({
    plan: z.strictObject({ at: z.string().exactOptional(), timeZone: z.string().optional() }),
  });
  const named = (plan: object): string[] => violatedFields(schema, { plan });
  expect(named({ at: 'now', timezone: 'UTC', 'a b': 1 })).toEqual(['plan.timezone', 'plan["a b"]']);
  expect(named({ at: null, timezone: 'UTC' })).toEqual(['plan.timezone']);
  expect(parse(schema, { plan: { at: null, time_zone: 'UTC' } })).toEqual({ plan: { timeZone: 'UTC' } });
  expect(() => parse(schema, { plan: { at: 1, timezone: 'UTC' } }, 'params')).toThrow(
    /^Invalid parameters: params\.plan\.at must be a string; params\.plan\.timezone /,
  );
});

describe('a hostile request', () => {
  const withPart = (part: unknown) => ({ message: { ...request.message, parts: [part] } });
  const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

  test('with a million wrong parts causes one violation', () => {
    const parts = new Array<unknown>(1_000_000).fill(0);
    expect(failureOf({ message: { ...request.message, parts } }).violations).toEqual([
      { field: 'message.parts', description: 'must have at most 1000 entries' },
    ]);
  });

  test('with a thousand wrong parts causes fifty violations', () => {
    const parts = new Array<unknown>(1000).fill(0);
    expect(failureOf({ message: { ...request.message, parts } }).violations).toHaveLength(50);
  });

  test('with more than 100 levels of nesting is refused', () => {
    expect(parse(partSchema, { data: nested(100) })).toBeDefined();
    expect(violatedFields(sendMessageRequestSchema, withPart({ data: nested(101) }))).toEqual([
      'message.parts[0].data',
    ]);
    expect(violatedFields(sendMessageRequestSchema, { ...request, metadata: { a: nested(1_000_000) } })).toEqual([
      'metadata',
    ]);
  });

  test('with a number that JSON.stringify would turn into null is refused', () => {
    expect(violatedFields(sendMessageRequestSchema, withPart({ data: JSON.parse('{"a":1e400}') }))).toEqual([
      'message.parts[0].data',
    ]);
  });

  test('is not repeated in the error', () => {
    const secret = 'x'.repeat(300);
    expect(
      JSON.stringify(failureOf({ message: { ...request.message, messageId: secret, role: secret } }).violations),
    ).not.toContain('xxx');
  });
});
