import type { FeedItem } from '@switchyard/store';
import { describe, expect, it, vi } from 'vitest';
import type { Call } from '../src/call/call.ts';
import { awaitItem } from '../src/operations/await-item.ts';
import type { Backend } from '../src/operations/backend.ts';
import { Source } from './support/source.ts';

const first = { seq: 1 } as FeedItem;
const second = { seq: 2 } as FeedItem;

interface Waiting {
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
}

/** Waits for the second item. */
function waitIn(
  source: AsyncIterable<FeedItem>,
  { waitMs = 10_000, signal = new AbortController().signal }: Waiting = {},
): Promise<FeedItem | undefined> {
  const backend = { feeds: { follow: () => source[Symbol.asyncIterator]() } } as unknown as Backend;
  return awaitItem(backend, { signal } as Call, { taskId: 't', waitMs, until: ({ seq }) => seq === 2 });
}

describe('awaitItem', () => {
  it('returns the first item that matches', async () => {
    const source = new Source<FeedItem>();
    source.push(first);
    source.push(second);
    expect(await waitIn(source)).toBe(second);
  });

  it('returns undefined when the feed ends without a match', async () => {
    const source = new Source<FeedItem>();
    source.push(first);
    source.end();
    expect(await waitIn(source)).toBeUndefined();
  });

  it('returns undefined when the time is up, though the feed hangs', async () => {
    const source = new Source<FeedItem>();
    source.push(first);
    expect(await waitIn(source, { waitMs: 20 })).toBeUndefined();
  });

  it('returns undefined once the caller has disconnected', async () => {
    const caller = new AbortController();
    const waiting = waitIn(new Source<FeedItem>(), { signal: caller.signal });
    caller.abort();
    expect(await waiting).toBeUndefined();
    expect(await waitIn(new Source<FeedItem>(), { signal: caller.signal })).toBeUndefined();
  });

  it.each([
    ['the item came', [second], 10_000],
    ['the time is up', [], 20],
  ])('closes its feed and removes its listeners when %s', async (_, items, waitMs) => {
    const source = new Source<FeedItem>();
    const left = vi.fn(async () => ({ done: true, value: undefined }) as const);
    const feed = Object.assign(source[Symbol.asyncIterator](), { return: left, [Symbol.asyncIterator]: () => feed });
    const { signal } = new AbortController();
    const [listening, leaving] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')];
    for (const item of items) source.push(item);
    await waitIn(feed, { waitMs, signal });
    expect(left).toHaveBeenCalled();
    expect(leaving.mock.calls).toEqual(listening.mock.calls);
  });

  it('rejects if the feed fails', async () => {
    const source = new Source<FeedItem>();
    source.fail(new Error('broken'));
    await expect(waitIn(source)).rejects.toThrow('broken');
  });
});
