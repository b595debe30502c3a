import type { FeedItem } from '@switchyard/store';

/**
 * Ends with the item that asks the caller for input (A2A 11.7), or where the feed ends: at the terminal event.
 * A question that an earlier message led to does not count while message `number` waits behind it.
 * Authorization happens out of band (A2A 7.6), so auth-required keeps the stream open.
 */
export async function* untilAnswered(items: AsyncIterable<FeedItem>, number: number): AsyncIterable<FeedItem> {
  for await (const item of items) {
    yield item;
    if (item.state === 'TASK_STATE_INPUT_REQUIRED' && item.released >= number) return;
  }
}
