import { describe, expect, test } from 'vitest';
import { parseRedisAddress } from '../src/address.ts';
import { RedisUnusable } from '../src/errors.ts';

describe('the address of a Redis', () => {
  test.each([
    ['redis://localhost', { kind: 'single', nodes: [{ host: 'localhost', port: 6379 }], database: 0 }],
    ['redis://:s%3Acret@h:1/3', { kind: 'single', nodes: [{ host: 'h', port: 1 }], database: 3, password: 's:cret' }],
    [
      'rediss://me:pw@h',
      { kind: 'single', nodes: [{ host: 'h', port: 6379 }], username: 'me', password: 'pw', tls: {} },
    ],
    ['redis://[::1]:7000', { kind: 'single', nodes: [{ host: '::1', port: 7000 }] }],
    [
      'redis+sentinel://a:1,b/main',
      {
        kind: 'sentinel',
        nodes: [
          { host: 'a', port: 1 },
          { host: 'b', port: 26_379 },
        ],
        master: 'main',
      },
    ],
    [
      'rediss+cluster://a:1,b:2',
      {
        kind: 'cluster',
        nodes: [
          { host: 'a', port: 1 },
          { host: 'b', port: 2 },
        ],
        tls: {},
      },
    ],
  ])('%s is parsed', (url, address) => {
    expect(parseRedisAddress(url)).toMatchObject(address);
  });

  test.each([
    '',
    'localhost:6379',
    'http://h',
    'redis://',
    'redis://h:0',
    'redis://h:99999',
    'redis://h/name',
    'redis+cluster://a:1,',
  ])('"%s" is refused with a RedisUnusable', (url) => {
    expect(() => parseRedisAddress(url)).toThrow(RedisUnusable);
  });

  test.each(['hunter2', 'hunter2/x', 'x/hunter2', 'x@hunter2', 'x@y/hunter2'])(
    'is refused without its password in the error: %s',
    (password) => {
      expect(() => parseRedisAddress(`redis://me:${password}@h/name`)).toThrow(/^(?!.*hunter2)/);
    },
  );

  test('with Sentinel needs the name of the master', () => {
    expect(() => parseRedisAddress('redis+sentinel://a:1')).toThrow(/mymaster/);
  });
});
