import type { StreamEvent, TaskView } from '../client/a2a-client.ts';
import { type Failure, failed, type Outcome } from '../client/outcome.ts';
import { isSettled } from '../measure/task-ledger.ts';
import type { Load } from './profile.ts';

/** Durations that streams add to the report. */
export const firstEvent = 'first event of a stream';
export const eventDelivery = 'event, from agent to client';

export interface FollowedStream {
  readonly order: EventOrder;
  readonly ended: Promise<Outcome<void>>;
  leave(): void;
}

export interface StreamToFollow {
  readonly text: string;
  readonly dueAt: number;
  readonly timeoutFor: 'end' | 'beginning';
}

/** Sends a message, and records the events of its stream. */
export function followStream(load: Load, { text, dueAt, timeoutFor }: StreamToFollow): FollowedStream {
  const { recorder } = load;
  const order = new EventOrder();
  const listener = new Listener(load);
  let isFirst = true;
  const onEvent = (event: StreamEvent, id: string | undefined): void => {
    recorder.received();
    if (isFirst) recorder.took(firstEvent, performance.now() - dueAt);
    isFirst = false;
    const disorder = order.next(id);
    if (disorder) recorder.wrong(disorder);
    listener.note(event);
  };
  const stream = load.client.stream(text, { dueAt, timeoutFor, onEvent });
  const tooEarly = failed('stream ended before its task', 'the last event left the task running');
  const ended = stream.ended.then((outcome) => (outcome.ok && !listener.isAtEnd ? tooEarly : outcome));
  return { order, ended, leave: stream.leave };
}

class Listener {
  isAtEnd = false;
  readonly #load: Load;
  #isAccepted = false;

  constructor(load: Load) {
    this.#load = load;
  }

  note(event: StreamEvent): void {
    if ('artifactUpdate' in event) this.#noteArtifact(event.artifactUpdate.artifact.parts[0]?.text);
    else if ('task' in event) this.#noteTask(event.task);
    else if ('statusUpdate' in event)
      this.#noteTask({ id: event.statusUpdate.taskId, status: event.statusUpdate.status });
    else {
      this.#load.tasks.repliedWithMessage();
      this.isAtEnd = true;
    }
  }

  #noteTask(task: TaskView): void {
    const { tasks } = this.#load;
    if (this.#isAccepted) tasks.seen(task);
    else tasks.accepted(task);
    this.#isAccepted = true;
    this.isAtEnd = isSettled(task.status.state);
  }

  /** The own agent writes its time; it has the same clock. */
  #noteArtifact(text: string | undefined): void {
    const sentAt = /sent at (\d+\.\d+)/.exec(text ?? '')?.[1];
    if (this.#load.isOwnAgent && sentAt !== undefined)
      this.#load.recorder.took(eventDelivery, performance.timeOrigin + performance.now() - Number(sentAt));
  }
}

/**
 * Checks the ids of the events of one stream. A Switchyard gateway numbers the events of a task 1-…, 2-…, 3-…; a stream
 * may begin anywhere, and from there each number comes once. Other servers need not number theirs, and are not checked.
 */
class EventOrder {
  checked = 0;
  unchecked = 0;
  holes = 0;
  doubles = 0;
  #last: number | undefined;

  /** @returns what is wrong with it */
  next(id: string | undefined): Failure | undefined {
    if (id === undefined || !/^\d{1,15}(?:-\w{1,20})?$/.test(id)) {
      this.unchecked++;
      return undefined;
    }
    const number = Number.parseInt(id, 10);
    const last = this.#last;
    this.#last = Math.max(number, last ?? 0);
    if (last === undefined || number === last + 1) {
      this.checked++;
      return undefined;
    }
    if (number <= last) {
      this.doubles++;
      return { kind: 'event twice on a stream', example: `event ${number} came again` };
    }
    this.holes++;
    return { kind: 'hole in the events of a stream', example: `event ${number} came after ${last}` };
  }
}
