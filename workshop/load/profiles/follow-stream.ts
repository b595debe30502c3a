import type { StreamEvent, TaskView } from '../client/answers.ts';
import type { OpenStream, ReceivedEvent } from '../client/open-stream.ts';
import { failed, type Outcome } from '../client/outcome.ts';
import { isSettled } from '../measure/task-ledger.ts';
import { EventOrder } from './event-order.ts';
import type { Load } from './load.ts';

/** Durations that streams add to the report. */
export const firstEvent = 'first event of a stream';
export const eventDelivery = 'event, from agent to client';

export interface FollowedStream {
  readonly order: EventOrder;
  /** Known from the first event. */
  readonly taskId: string | undefined;
  readonly ended: Promise<Outcome<void>>;
  leave(): void;
}

export interface StreamToFollow {
  readonly text: string;
  readonly dueAt: number;
  readonly timeoutFor: 'end' | 'beginning';
}

/** Says something, and notes what comes back on the stream. */
export function followStream(load: Load, { text, ...options }: StreamToFollow): FollowedStream {
  const listener = new Listener(load, options.dueAt);
  const stream: OpenStream = load.client.stream(text, { ...options, onEvent: (event) => listener.hear(event) });
  return {
    order: listener.order,
    get taskId() {
      return listener.taskId;
    },
    ended: stream.ended.then((outcome) => (outcome.ok && !listener.isAtEnd ? tooEarly() : outcome)),
    leave: stream.leave,
  };
}

function tooEarly(): Outcome<void> {
  return failed('stream ended before its task', 'the last event left the task running');
}

class Listener {
  readonly order = new EventOrder();
  taskId: string | undefined;
  isAtEnd = false;
  readonly #load: Load;
  readonly #dueAt: number;
  #isFirst = true;

  constructor(load: Load, dueAt: number) {
    this.#load = load;
    this.#dueAt = dueAt;
  }

  hear({ id, event }: ReceivedEvent): void {
    const { recorder } = this.#load;
    recorder.received();
    if (this.#isFirst) recorder.took(firstEvent, performance.now() - this.#dueAt);
    this.#isFirst = false;
    const disorder = this.order.next(id);
    if (disorder) recorder.wrong(disorder);
    this.#note(event);
  }

  #note(event: StreamEvent): void {
    if ('artifactUpdate' in event) this.#noteArtifact(event.artifactUpdate.artifact.parts[0]?.text);
    else if ('message' in event) this.#noteMessage();
    else if ('task' in event) this.#noteTask(event.task);
    else this.#noteTask({ id: event.statusUpdate.taskId, status: event.statusUpdate.status });
  }

  #noteMessage(): void {
    this.#load.tasks.repliedWithMessage();
    this.isAtEnd = true;
  }

  #noteTask(task: TaskView): void {
    const { tasks } = this.#load;
    if (this.taskId === undefined) tasks.accepted(task);
    else tasks.seen(task);
    this.taskId = task.id;
    this.isAtEnd = isSettled(task.status.state);
  }

  /** Our own agent says when it said something; its clock is ours. */
  #noteArtifact(text: string | undefined): void {
    const sentAt = /sent at (\d+\.\d+)/.exec(text ?? '')?.[1];
    if (this.#load.isOwnAgent && sentAt !== undefined)
      this.#load.recorder.took(eventDelivery, performance.timeOrigin + performance.now() - Number(sentAt));
  }
}
