import { describe, expect, it } from 'vitest';
import { startDeadline } from '../src/limits/deadline.ts';

describe('a deadline', () => {
  it('is over when its parent is, for the same reason', () => {
    const parent = new AbortController();
    using deadline = startDeadline(parent.signal, 10_000);
    parent.abort('gone');
    expect(deadline.signal.reason).toBe('gone');
    using late = startDeadline(parent.signal, 10_000);
    expect(late.signal.aborted).toBe(true);
  });
});
