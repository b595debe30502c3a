import type { FeedItem } from '@switchyard/store';
import { describe, expect, it } from 'vitest';
import { awaitItem } from '../src/operations/await-item.ts';
import type { Backend } from '../src/operations/backend.ts';
import type { Call } from '../src/operations/call.ts';
import { Source } from './support/source.ts';

const first = { seq: 1 } as FeedItem;
const second = { seq: 2 } as FeedItem;

/** Waits for the second item. */
function waitIn(source: AsyncIterable<FeedItem>, waitMs = 10_000): Promise<FeedItem | undefined> {
  const backend = { feeds: { follow: () => source } } as unknown as Backend;
  const call = { signal: new AbortController().signal } as Call;
  return awaitItem(backend, call, { taskId: 't', waitMs, until: ({ seq }) => seq === 2 });
}

describe('an item that is awaited', () => {
  it('is the first that will do', async () => {
    const source = new Source<FeedItem>();
    source.push(first);
    source.push(second);
    expect(await waitIn(source)).toBe(second);
  });

  it('is none when the feed ends before', async () => {
    const source = new Source<FeedItem>();
    source.push(first);
    source.end();
    expect(await waitIn(source)).toBeUndefined();
  });

  it('is none when time is up, though the feed hangs', async () => {
    const source = new Source<FeedItem>();
    source.push(first);
    expect(await waitIn(source, 20)).toBeUndefined();
  });

  it('is an error if the feed breaks', async () => {
    const source = new Source<FeedItem>();
    source.fail(new Error('broken'));
    await expect(waitIn(source)).rejects.toThrow('broken');
  });
});
