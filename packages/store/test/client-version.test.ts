import { expect, test } from 'vitest';
import { ioredisProblem } from '../src/redis/client-version.ts';

test('the installed version of ioredis is supported; any other one is reported', () => {
  expect(ioredisProblem()).toBeUndefined();
  expect(ioredisProblem('6.0.1')).toContain('ioredis 6.0.1 is installed');
});
