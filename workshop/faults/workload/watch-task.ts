import { setTimeout as delay } from 'node:timers/promises';
import { isTerminal, type StreamResponse } from '@switchyard/protocol';
import { type EventStream, openEventStream } from '../../../tests/support/event-stream.ts';
import type { SentEvent } from '../../../tests/support/sent-events.ts';
import type { ResilientClient } from './resilient-client.ts';

export interface Watched {
  /** Whether what came was each event once, in order, from the first one asked for to the last. */
  readonly problems: readonly string[];
  readonly events: ReadonlyMap<number, string>;
  /** How often the stream broke and was resumed. */
  readonly resumed: number;
}

const GIVE_UP_AFTER_MS = 90_000;

/**
 * Follows a task from its first event to its last, over any number of gateways: whenever the stream breaks it goes on at
 * another one with Last-Event-ID.
 */
export async function watchTask(client: ResilientClient, taskId: string): Promise<Watched> {
  const events = new Map<number, string>();
  const problems: string[] = [];
  const deadline = Date.now() + GIVE_UP_AFTER_MS;
  let [last, resumed, hasEnded] = [0, -1, false];
  while (!hasEnded && Date.now() < deadline) {
    resumed++;
    const stream = await open(client.url(), taskId, last);
    if (stream?.status !== 200) {
      stream?.cut();
      await delay(100);
      continue;
    }
    for await (const event of whole(stream)) {
      if ('task' in event.data) problems.push(`${taskId}: a snapshot instead of event ${last + 1}`);
      else if (event.id !== last + 1) problems.push(`${taskId}: event ${event.id} came after ${last}`);
      last = event.id;
      events.set(event.id, event.text);
      hasEnded = endsTask(event.data);
    }
  }
  if (!hasEnded) problems.push(`${taskId}: its last event never came, only ${last} others`);
  return { problems, events, resumed };
}

async function open(url: string, taskId: string, last: number): Promise<EventStream | undefined> {
  // From 0: all events there are, without the snapshot that a new subscription begins with.
  const path = `/tasks/${taskId}:subscribe?fromSeq=${last}`;
  return openEventStream(url + path).catch(() => undefined); // a gateway that was just killed
}

/** What of a stream came whole: it may break at any byte, or end with an error that is to be resumed. */
async function* whole(stream: EventStream): AsyncGenerator<SentEvent, void> {
  try {
    for await (const event of stream) {
      if (isError(event)) return;
      yield event;
    }
  } catch {
    return; // the connection broke
  }
}

const isError = ({ text }: SentEvent): boolean => 'error' in JSON.parse(text);

export function endsTask(data: StreamResponse): boolean {
  return 'statusUpdate' in data && data.statusUpdate !== undefined && isTerminal(data.statusUpdate.status.state);
}
