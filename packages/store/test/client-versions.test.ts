import { expect, test } from 'vitest';
import { bullmqProblem, ioredisProblem } from '../src/redis/client-versions.ts';

test('the installed version of BullMQ is supported; an unsupported one is reported', () => {
  expect(bullmqProblem()).toBeUndefined();
  expect(bullmqProblem('7.0.0')).toContain('BullMQ 7.0.0 is installed');
});

test('the installed version of ioredis is supported; any other one is reported', () => {
  expect(ioredisProblem()).toBeUndefined();
  expect(ioredisProblem('6.0.1')).toContain('ioredis 6.0.1 is installed');
});
