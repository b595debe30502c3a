import { describe, expect, it } from 'vitest';
import { startDeadline } from '../src/limits/deadline.ts';
import { untilAborted } from '../src/operations/until-aborted.ts';
import { Source } from './support/source.ts';

describe('untilAborted', () => {
  it('gives what its source gives, and ends with it', async () => {
    const source = new Source<number>();
    source.push(1);
    source.push(2);
    source.end();
    expect(await Array.fromAsync(untilAborted(source, new AbortController().signal))).toEqual([1, 2]);
  });

  it('ends with the signal though its source hangs', async () => {
    const source = new Source<number>();
    source.push(1);
    using deadline = startDeadline(new AbortController().signal, 20);
    expect(await Array.fromAsync(untilAborted(source, deadline.signal))).toEqual([1]);
  });

  it('hands an error on', async () => {
    const source = new Source<number>();
    source.fail(new Error('broken'));
    await expect(Array.fromAsync(untilAborted(source, new AbortController().signal))).rejects.toThrow('broken');
  });
});

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
