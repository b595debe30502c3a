import { expect, test } from 'vitest';
import { bullmqProblem } from '../src/agent-queues.ts';

test('the installed version of BullMQ is supported; an unsupported one is reported', () => {
  expect(bullmqProblem()).toBeUndefined();
  expect(bullmqProblem('7.0.0')).toContain('BullMQ 7.0.0 is installed');
});
