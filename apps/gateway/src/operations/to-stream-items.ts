import type { FeedItem } from '@switchyard/store';
import type { StreamItem } from './operation.ts';
import { replyOf } from './reply-of.ts';

/**
 * Feed items as A2A StreamResponses. `mayReply`: the agent may answer with a plain Message, and then the stream holds
 * that message and nothing else (A2A 3.1.2), so the task is kept back until the first event tells.
 */
export async function* toStreamItems(
  items: AsyncIterable<FeedItem>,
  { mayReply = false }: { mayReply?: boolean } = {},
): AsyncIterable<StreamItem> {
  let held: FeedItem | undefined;
  for await (const item of items) {
    if (mayReply) {
      mayReply = false;
      held = item;
      continue;
    }
    if (held && item.isReply) return yield { seq: item.seq, json: `{"message":${replyOf(item)}}` };
    if (held) yield toStreamItem(held);
    held = undefined;
    yield toStreamItem(item);
  }
  // Cut before anything happened: the caller learns its task at least.
  if (held) yield toStreamItem(held);
}

function toStreamItem({ kind, seq, json }: FeedItem): StreamItem {
  return { seq, json: kind === 'task' ? `{"task":${json}}` : json };
}
