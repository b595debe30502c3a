import type { Message, StreamResponse, TaskState } from '@switchyard/protocol';
import { stateOf } from '../tasks/state-letters.ts';
import type { TaskReading } from '../tasks/task-reading.ts';

/**
 * Which event of a task. The number alone is not enough: a fail-over may lose events, and what is written afterwards
 * gets their numbers again, but another incarnation. Unset: not known, as when a client names a number.
 */
export interface EventId {
  /** 1, 2, 3 … within a task. */
  readonly seq: number;
  readonly incarnation?: number | undefined;
}

/** As clients see it, in the `id:` of server-sent events: `12-k3x9a`; `12` if it has no incarnation. */
export function formatEventId({ seq, incarnation }: EventId): string {
  return incarnation ? `${seq}-${incarnation.toString(36)}` : `${seq}`;
}

/** @returns undefined: this is no such id */
export function parseEventId(text: string): EventId | undefined {
  const [, seq, incarnation] = /^(\d{1,15})(?:-([0-9a-z]{1,6}))?$/.exec(text) ?? [];
  if (seq === undefined) return undefined;
  return { seq: Number(seq), ...(incarnation !== undefined && { incarnation: Number.parseInt(incarnation, 36) }) };
}

/** One step of a feed: the task as it is, or one event. */
export interface FeedItem extends EventId {
  readonly kind: 'task' | 'event';
  readonly state: TaskState;
  /** The highest number of a message whose caller need not wait any more. */
  readonly released: number;
  /** The turn answered with a plain message: it is in the completed status, of the event or of the task. */
  readonly isReply: boolean;
  /** JSON of the A2A StreamResponse (3.2.3). */
  readonly json: string;
}

/** An event as the stream and the channel have it. */
export interface FeedEvent extends Omit<FeedItem, 'released' | 'kind'> {
  /** Only where the event says so. */
  readonly released: number | undefined;
  /** Incarnation of the event before it, where the channel names it. */
  readonly previous: number | undefined;
}

/** How far a task has come. */
export type Position = EventId & Pick<TaskReading, 'state' | 'released'> & Partial<Pick<TaskReading, 'isWithdrawn'>>;

/** With which a feed begins, or goes on where events are missing. @param task JSON of the Task */
export function taskItem(position: Position, task: string | Buffer): FeedItem {
  const { seq, incarnation, state, released, isWithdrawn = false } = position;
  return { kind: 'task', seq, incarnation, state, released, isReply: isWithdrawn, json: `{"task":${task}}` };
}

/**
 * JSON of the plain Message with which an agent answered, where `isReply`: it names no task, its caller has none.
 * @param json of the event, or of the task
 */
export function plainMessageIn(json: string): string | undefined {
  const { task, statusUpdate }: StreamResponse = JSON.parse(json);
  const message = (statusUpdate ?? task)?.status.message;
  if (!message) return undefined;
  const { taskId: _, ...plain }: Message = message;
  return JSON.stringify(plain);
}

/** A message of the channel: events that were written together, a line each. */
export function parseMessage(message: string): FeedEvent[] {
  return message.split('\n').map(parseLine);
}

/**
 * `id|mark|json`. The id is `seq-incarnation`, and behind it that of the event before, if it is another.
 * The mark is the state's letter, the number of a released message, `m` for a plain message (`say` in events.lua).
 * Without a pattern, whose match would be most of what an event costs.
 */
function parseLine(line: string): FeedEvent {
  const first = line.indexOf('|');
  const second = line.indexOf('|', first + 1);
  const dash = line.indexOf('-');
  const hasIncarnation = dash >= 0 && dash < first;
  const before = hasIncarnation ? line.indexOf('-', dash + 1) : -1;
  const incarnation = hasIncarnation ? Number.parseInt(line.slice(dash + 1, first), 10) : 0;
  const isReply = line[second - 1] === 'm' && second > first + 2;
  const released = line.slice(first + 2, isReply ? second - 1 : second);
  return {
    seq: Number.parseInt(line, 10),
    incarnation,
    previous: before >= 0 && before < first ? Number.parseInt(line.slice(before + 1, first), 10) : incarnation,
    state: stateOf(line[first + 1] ?? ''),
    released: released === '' ? undefined : Number(released),
    isReply,
    json: line.slice(second + 1),
  };
}

/** An entry of the stream: id `<seq>-<incarnation>`, one field named by the mark. */
export function parseEntry([id, [mark = '', json = '']]: [id: string, fields: string[]]): FeedEvent {
  return { ...parseLine(`${id}|${mark}|`), previous: undefined, json };
}
