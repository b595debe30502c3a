import { expect, test } from 'vitest';
import { failureLine } from '../src/operator/failure-text.ts';

test('a step or call that failed before is one line of why', () => {
  const failure = { kind: 'threw', message: 'card refused', at: '2026-01-31T12:00:00Z', epoch: 1 } as const;
  expect(failureLine({ ...failure, of: 'step', name: 'pay' })).toBe('Step pay: card refused');
  const message = 'The call of "oven" failed: it took too long, and was canceled.';
  expect(failureLine({ ...failure, of: 'call', name: 'oven', message })).toBe(message);
});
