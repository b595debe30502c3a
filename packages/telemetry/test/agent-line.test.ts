import { describe, expect, it } from 'vitest';
import { agentLine, secretsIn } from '../src/index.ts';

const fieldsOf = (fields: object) => agentLine({ text: '', fields: { ...fields } }).fields;

describe('a line that an agent logs', () => {
  it('keeps short values, numbers and errors', () => {
    const cause = new Error('the oven is cold');
    expect(fieldsOf({ order: 17, isPaid: true, pizza: 'Funghi', tip: null, none: undefined })).toEqual({
      order: 17,
      isPaid: true,
      pizza: 'Funghi',
      tip: null,
    });
    expect(fieldsOf({ err: new TypeError('no pizza', { cause }) })).toMatchObject({
      err: {
        type: 'TypeError',
        message: 'no pizza',
        stack: expect.any(String),
        cause: { message: 'the oven is cold' },
      },
    });
  });

  it('is limited in its text, its fields and their number', () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`field${i}`, i]));
    const { text, fields } = agentLine({ text: 'x'.repeat(10_000), fields: { long: 'y'.repeat(10_000) } });
    expect([text.length, String(fields.long).length]).toEqual([501, 201]);
    expect(Object.keys(fieldsOf(many))).toHaveLength(21);
    expect(fieldsOf(many).leftOut).toEqual(Array.from({ length: 10 }, (_, i) => `field${i + 20}`));
  });

  it('names the fields that it leaves out: those with an invalid name, and lists and objects', () => {
    expect(fieldsOf({ 'a b': 1, '': 2, ['n'.repeat(41)]: 3, list: [1], object: {}, fine: 4 })).toEqual({
      fine: 4,
      leftOut: ['a b', '', `${'n'.repeat(40)}…`, 'list', 'object'],
    });
  });

  it.each([
    { password: 'hunter2' },
    { openaiApiKey: 'abc' },
    { Authorization: 'abc' },
    { note: 'sent with Bearer abcdef123' },
    { note: 'key sk-proj-abcdefgh12345678' },
    { note: 'eyJhbGciOiJub25lIn0.abc.def' },
    { note: 'redis://:hunter2@host/0' },
    { err: new Error('refused: Basic YWRhOmh1bnRlcjI=') },
  ])('contains no secret: %j', (fields) => {
    expect(JSON.stringify(fieldsOf(fields))).not.toMatch(
      /hunter2|"abc"|abcdef123|abcdefgh12345678|eyJhbGci|YWRhOmh1bnRlcjI/,
    );
  });

  it('keeps a number of tokens', () => {
    expect(fieldsOf({ tokens: 1200 })).toEqual({ tokens: 1200 });
  });

  it('contains no secret of the worker’s environment, neither in its text nor in its fields', () => {
    const secrets = secretsIn({
      OPENAI_API_KEY: 'very-plain-words',
      ADMIN_KEY: 'operators-only',
      PATH: '/usr/bin/long',
    });
    expect(secrets).toEqual(['very-plain-words', 'operators-only']);
    const { text, fields } = agentLine(
      { text: 'asked with very-plain-words', fields: { a: 'operators-only', err: new Error('very-plain-words?') } },
      secrets,
    );
    expect(text).toBe('asked with [left out]');
    expect(JSON.stringify(fields)).not.toMatch(/very-plain-words|operators-only/);
  });
});
