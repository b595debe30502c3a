import { setTimeout as delay } from 'node:timers/promises';
import { isTerminal, type StreamResponse } from '@switchyard/protocol';
import { type EventStream, openEventStream } from '../../../tests/support/event-stream.ts';
import type { SentEvent } from '../../../tests/support/sent-events.ts';
import type { ResilientClient } from './resilient-client.ts';

export interface Watched {
  /** Whether what came was each event once, in order, from the first one asked for to the last. */
  readonly problems: readonly string[];
  /** Since the last snapshot, if there was one. */
  readonly events: ReadonlyMap<number, SentEvent>;
  /** How often the stream broke and was resumed. */
  readonly resumed: number;
}

export interface WatchOptions {
  /**
   * Redis may lose acknowledged writes: a snapshot then replaces all that came before it. Default: that is a problem.
   */
  readonly mayLoseEvents?: boolean;
}

const GIVE_UP_AFTER_MS = 90_000;

/**
 * Follows a task from its first event to its last, over any number of gateways: whenever the stream breaks it goes on
 * at another one with Last-Event-ID.
 */
export async function watchTask(
  client: ResilientClient,
  taskId: string,
  { mayLoseEvents = false }: WatchOptions = {},
): Promise<Watched> {
  const log = new EventLog(taskId, mayLoseEvents);
  const deadline = performance.now() + GIVE_UP_AFTER_MS;
  let resumed = -1;
  while (!log.hasEnded && performance.now() < deadline) {
    resumed++;
    const stream = await open(client.url(), taskId, log.lastEventId);
    if (stream?.status === 200) for await (const event of whole(stream)) log.add(event);
    else {
      stream?.cut();
      await delay(100);
    }
  }
  if (!log.hasEnded) log.problems.push(`${taskId}: its last event never came, only ${log.last} others`);
  return { problems: log.problems, events: log.events, resumed };
}

/** What came, over however many streams. */
class EventLog {
  readonly events = new Map<number, SentEvent>();
  readonly problems: string[] = [];
  last = 0;
  /** Undefined before the first event. */
  lastEventId: string | undefined;
  hasEnded = false;
  readonly #taskId: string;
  readonly #mayLoseEvents: boolean;

  constructor(taskId: string, mayLoseEvents: boolean) {
    this.#taskId = taskId;
    this.#mayLoseEvents = mayLoseEvents;
  }

  add(event: SentEvent): void {
    if ('task' in event.data) this.#restart();
    else {
      if (event.id !== this.last + 1) this.problems.push(`${this.#taskId}: event ${event.id} came after ${this.last}`);
      this.events.set(event.id, event);
    }
    this.last = event.id;
    this.lastEventId = event.eventId;
    this.hasEnded = endsTask(event.data);
  }

  #restart(): void {
    if (this.#mayLoseEvents) this.events.clear();
    else this.problems.push(`${this.#taskId}: a snapshot instead of event ${this.last + 1}`);
  }
}

async function open(url: string, taskId: string, lastEventId = '0'): Promise<EventStream | undefined> {
  // From 0: all events there are, without the snapshot that a new subscription begins with.
  // Undefined: the gateway was just killed.
  return openEventStream(`${url}/tasks/${taskId}:subscribe`, { lastEventId }).catch(() => undefined);
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
  const status = data.statusUpdate?.status ?? data.task?.status;
  return status !== undefined && isTerminal(status.state);
}
