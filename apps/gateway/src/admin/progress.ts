import type { StreamItem } from '../operations/operation.ts';
import { withTokenOf } from './page-tokens.ts';
import { EventsAnswer, requirePageToken } from './route.ts';

/**
 * The answer of an action that goes on for long. Its first event is awaited, so that its errors have their status.
 * @param deployment of the page tokens in its events; unset: there is one, or it is about all
 * @throws {A2AError} InvalidParams, for a wrong page token
 */
export async function progressAnswer<Event extends object>(
  begin: (signal: AbortSignal) => AsyncGenerator<Event, void>,
  deployment?: number,
): Promise<EventsAnswer> {
  const leaving = new AbortController();
  const events = begin(leaving.signal);
  const first = await requirePageToken(() => events.next());
  return new EventsAnswer((signal) => {
    signal.addEventListener('abort', () => leaving.abort(), { once: true });
    return itemsOf(first, events, deployment);
  });
}

/** After an error, such as that the archive is away, its reader may ask again from the last position. */
async function* itemsOf<Event extends object>(
  first: IteratorResult<Event, void>,
  events: AsyncGenerator<Event, void>,
  deployment: number | undefined,
): AsyncGenerator<StreamItem, void> {
  try {
    for (let [seq, next] = [1, first]; !next.done; seq += 1, next = await events.next())
      yield { seq, json: JSON.stringify(withTokenOf(next.value, deployment)) };
  } finally {
    await events.return();
  }
}
