import type { EventId } from '@switchyard/store';
import type { StreamItem } from '../../operations/operation.ts';
import type { LegacyCaller } from './caller.ts';
import type { LegacyEvent } from './methods.ts';

/**
 * Events of version 0.3 with the ids of those that they were made from. The last one says so (`final`), also when
 * it asks the client: the SDK says so of the end of a task only, and a client that waits for it would wait for ever.
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

/** Mostly the last event, and if so its stream ends at once: it is held back for no time that counts. */
function isQuestion({ kind, status }: LegacyEvent): boolean {
  return kind === 'status-update' && status?.state === 'input-required';
}

function toItem(id: EventId, event: LegacyEvent): StreamItem {
  return { ...id, json: JSON.stringify(event) };
}
