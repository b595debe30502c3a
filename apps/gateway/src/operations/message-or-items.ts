import type { FeedItem } from '@switchyard/store';
import type { StreamItem } from './operation.ts';
import { replyOf } from './reply-of.ts';

/**
 * Of an agent that may answer with a plain Message: then the stream holds that message and nothing else (A2A 3.1.2), so the
 * task is kept back until the first event tells.
 */
export async function* messageOrItems(items: AsyncIterable<FeedItem>): AsyncIterable<StreamItem> {
  let task: FeedItem | undefined;
  let isFirst = true;
  for await (const item of items) {
    if (isFirst) {
      task = item;
      isFirst = false;
      continue;
    }
    if (task && item.isReply) return yield { seq: item.seq, json: `{"message":${replyOf(item)}}` };
    if (task) yield task;
    task = undefined;
    yield item;
  }
  // Cut before anything happened: the caller learns its task at least.
  if (task) yield task;
}
