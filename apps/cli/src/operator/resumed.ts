import { setTimeout as pause } from 'node:timers/promises';
import { OperatorError } from '@switchyard/operator-api';
import { CommandFailure } from '../failures/failure.ts';

interface Progress {
  readonly nextPageToken: string;
  readonly isDone: boolean;
}

const FIRST_PAUSE_MS = 500;
/** Without progress in between. */
const MAX_FAILURES = 6;

/**
 * The events of an action of any length. If it cannot begin, that is its failure. A gateway ends its streams after ten
 * minutes, and when it stops: then the action goes on from where it was.
 * @throws {CommandFailure} it did not go on. Also what `open` throws
 */
export async function* resumed<Event extends Progress>(
  open: (pageToken: string | undefined) => AsyncIterable<Event>,
  { from, signal }: { readonly from?: string | undefined; readonly signal: AbortSignal },
): AsyncGenerator<Event, void> {
  let pageToken = from;
  let hasBegun = false;
  for (let failures = 0; failures < MAX_FAILURES; failures += 1) {
    try {
      for await (const event of open(pageToken)) {
        hasBegun = true;
        if (event.nextPageToken !== pageToken) failures = 0;
        pageToken = event.nextPageToken;
        yield event;
        if (event.isDone) return;
      }
    } catch (error) {
      if (signal.aborted || !hasBegun || !isPassing(error) || failures === MAX_FAILURES - 1) throw error;
    }
    await pause(FIRST_PAUSE_MS * 2 ** failures, undefined, { signal });
  }
  throw new CommandFailure('SWITCHYARD_ERR_CUT_OFF', 'The gateway ended before all was done', {
    hint: 'Its log says why.',
  });
}

/** A connection broke, or the gateway, Redis or PostgreSQL may answer soon: a proxy says 502 or 503 meanwhile. */
function isPassing(error: unknown): boolean {
  if (error instanceof OperatorError) return error.status >= 500 || error.status === 429;
  if (error instanceof CommandFailure) return Number(error.a2aCode) >= 500;
  return error instanceof TypeError;
}
