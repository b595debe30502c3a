import { describe, expect, it } from 'vitest';
import { type AgentCard, mediaRangesMeet, requireMediaTypes, type SendMessageRequest } from '../src/index.ts';

describe('two media ranges', () => {
  it.each([
    ['text/plain', 'text/plain'],
    ['text/plain', 'TEXT/Plain; charset=utf-8'],
    ['text/*', 'text/markdown'],
    ['*/*', 'image/png'],
    ['*', 'image/png'],
    ['image/*', 'image/*'],
    ['text', 'text/plain'],
    ['text', 'text/*'],
  ])('%s and %s overlap, in either order', (one, other) => {
    expect(mediaRangesMeet(one, other)).toBe(true);
    expect(mediaRangesMeet(other, one)).toBe(true);
  });

  it.each([
    ['text/plain', 'text/html'],
    ['text/*', 'texture/plain'],
    ['image/*', 'text/*'],
    ['application/json', 'application/json-seq'],
    ['', 'text/plain'],
    ['text', 'texture/plain'],
  ])('%s and %s do not overlap', (one, other) => {
    expect(mediaRangesMeet(one, other)).toBe(false);
    expect(mediaRangesMeet(other, one)).toBe(false);
  });
});

it('long types of a client are read once, however many types the agent has', () => {
  const long = Array.from({ length: 600 }, (_, i) => `image/${i}${';'.repeat(8_000)}`);
  const types = Array.from({ length: 100 }, (_, i) => `text/${i}`);
  const card = { skills: [], defaultInputModes: types, defaultOutputModes: types } as unknown as AgentCard;
  const parts = long.map((mediaType) => ({ text: '', mediaType }));
  const request = { message: { parts }, configuration: { acceptedOutputModes: long } } as SendMessageRequest;
  const before = process.cpuUsage();
  expect(() => requireMediaTypes(card, request)).toThrow('does not support these media types');
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
});
