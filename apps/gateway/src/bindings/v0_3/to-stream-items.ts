import type { EventId } from '@switchyard/store';
import type { StreamItem } from '../../operations/operation.ts';
import type { LegacyCaller } from './caller.ts';
import type { LegacyEvent } from './methods.ts';

/**
 * Events of version 0.3, with the ids of their originals. The last one has `final`, also when it asks for input: the
 * SDK sets it only at the end of a task, and clients wait for it.
 */
export async function* toStreamItems(
  events: AsyncIterable<LegacyEvent>,
  caller: LegacyCaller,
): AsyncIterable<StreamItem> {
  let question: { readonly id: EventId; readonly event: LegacyEvent } | undefined;
  for await (const event of events) {
    if (question) yield toItem(question.id, question.event);
    question = isQuestion(event) ? { id: caller.position, event } : undefined;
    if (!question) yield toItem(caller.position, event);
  }
  if (question) yield toItem(question.id, { ...question.event, final: true });
}

/** Usually the last event. Its stream then ends at once, so holding it back takes no time. */
function isQuestion({ kind, status }: LegacyEvent): boolean {
  return kind === 'status-update' && status?.state === 'input-required';
}

function toItem(id: EventId, event: LegacyEvent): StreamItem {
  return { ...id, json: JSON.stringify(event) };
}
