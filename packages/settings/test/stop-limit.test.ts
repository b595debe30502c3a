import { afterEach, expect, test, vi } from 'vitest';
import { limitStop } from '../src/index.ts';

afterEach(() => void vi.useRealTimers());

test('A stop is given up 8 s after DRAIN_MS', () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const giveUp = vi.fn();
  limitStop(2_000, giveUp);
  vi.advanceTimersByTime(9_999);
  expect(giveUp).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(giveUp).toHaveBeenCalledOnce();
});
