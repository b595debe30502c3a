import { expect, test } from 'vitest';
import { redisMemoryBytes } from '../src/redis/redis-memory.ts';

const gibibyte = 2 ** 30;

test('Redis gets half of the machine’s memory, or of the container’s, which may be less', () => {
  expect(redisMemoryBytes(8 * gibibyte, 0)).toBe(4 * gibibyte);
  expect(redisMemoryBytes(8 * gibibyte, 2 * gibibyte)).toBe(gibibyte);
  // Without a limit, the kernel reports the largest number that it knows.
  expect(redisMemoryBytes(8 * gibibyte, 2 ** 63)).toBe(4 * gibibyte);
});
