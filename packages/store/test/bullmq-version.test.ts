import { expect, test } from 'vitest';
import { bullmqProblem } from '../src/queue/bullmq-version.ts';

test('the installed BullMQ is one whose keys are known; another one is named', () => {
  expect(bullmqProblem()).toBeUndefined();
  expect(bullmqProblem('7.0.0')).toContain('BullMQ 7.0.0 is installed');
});
