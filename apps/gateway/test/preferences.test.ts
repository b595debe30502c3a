import { describe, expect, it } from 'vitest';
import { lastEventIdIn, versionIn, waitMsIn } from '../src/exchange/service-parameters.ts';

describe('Prefer', () => {
  it.each([
    ['wait=20', 20_000],
    ['respond-async, wait=5', 5_000],
    ['WAIT = "7"; x', 7_000],
    ['wait=', 0],
    ['wait=-1', 0],
    ['await=9', 0],
    ['', 0],
    [undefined, 0],
  ])('%s waits %i ms', (header, ms) => {
    expect(waitMsIn(header)).toBe(ms);
  });
});

describe('If-None-Match', () => {
  it.each([
    ['"17"', '17'],
    ['W/"17"', '17'],
    ['*', undefined],
    ['"1", "2"', undefined],
    ['17', undefined],
    [undefined, undefined],
  ])('%s names version %s', (header, version) => {
    expect(versionIn(header)).toBe(version);
  });
});

describe('Last-Event-ID', () => {
  it('is the position of an event', () => {
    expect(lastEventIdIn('12', 'Last-Event-ID')).toEqual({ seq: 12 });
    expect(lastEventIdIn('12-k3x9a', 'Last-Event-ID')).toEqual({ seq: 12, incarnation: 33_775_390 });
    expect(lastEventIdIn('', 'Last-Event-ID')).toBeUndefined();
    expect(lastEventIdIn(undefined, 'Last-Event-ID')).toBeUndefined();
  });

  it.each(['-1', '1.5', 'x', '1e3', '9'.repeat(30)])('%s is refused', (text) => {
    expect(() => lastEventIdIn(text, 'fromSeq')).toThrow('Invalid parameters');
  });
});
