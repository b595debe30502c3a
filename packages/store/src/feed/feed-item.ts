import type { Message, StreamResponse, TaskState } from '@switchyard/protocol';
import { type Json, wrapped } from '../tasks/read/task-json.ts';
import type { TaskReading } from '../tasks/read/task-reading.ts';
import { stateOf } from '../tasks/visibility/state-letters.ts';

/**
 * Identifies an event of a task. After a fail-over that lost events, new ones get the same numbers but another
 * incarnation. Unset: unknown, as when a client names only a number.
 */
export interface EventId {
  /** 1, 2, 3 … within a task. */
  readonly seq: number;
  readonly incarnation?: number | undefined;
}

/** The `id:` of a server-sent event: `12-k3x9a`; `12` if it has no incarnation. */
export function formatEventId({ seq, incarnation }: EventId): string {
  return incarnation ? `${seq}-${incarnation.toString(36)}` : `${seq}`;
}

/** @returns undefined: not an event id */
export function parseEventId(text: string): EventId | undefined {
  const [, seq, incarnation] = /^(\d{1,15})(?:-([0-9a-z]{1,6}))?$/.exec(text) ?? [];
  if (seq === undefined) return undefined;
  return { seq: Number(seq), ...(incarnation !== undefined && { incarnation: Number.parseInt(incarnation, 36) }) };
}

/** One item of a feed: a snapshot of the task, or one event. */
export interface FeedItem extends EventId {
  readonly kind: 'task' | 'event';
  readonly state: TaskState;
  /** The highest number of a message that is answered, or acknowledged to its caller. */
  readonly answered: number;
  /** The turn answered with a plain message, which is the message of the completed status. */
  readonly isPlainMessage: boolean;
  /** JSON of the A2A StreamResponse (3.2.3). */
  readonly json: Json;
}

/** An event of the stream or of the channel. */
export interface FeedEvent extends Omit<FeedItem, 'answered' | 'kind' | 'json'> {
  readonly json: string;
  /** Unset if this event answers no message. */
  readonly answered: number | undefined;
  /** Incarnation of the event before this one, if the channel names it. */
  readonly previous: number | undefined;
}

/** The last event of a task, and its state. */
export type Position = EventId & Pick<TaskReading, 'state' | 'answered'> & Partial<Pick<TaskReading, 'isWithdrawn'>>;

/** A snapshot: the first item of a feed, and the next one where events are missing. @param task JSON of the Task */
export function taskItem(position: Position, task: Json): FeedItem {
  const { seq, incarnation, state, answered, isWithdrawn = false } = position;
  // A small snapshot is sent in one write with the events that follow it.
  const json = wrapped(typeof task === 'string' || task.isShared ? task : task.toString(), '{"task":', '}');
  return { kind: 'task', seq, incarnation, state, answered, isPlainMessage: isWithdrawn, json };
}

/**
 * JSON of the plain Message of an item with `isPlainMessage`, without a taskId: its caller has no task.
 * @param json of the event, or of the task
 */
export function plainMessageIn(json: Json): string | undefined {
  const { task, statusUpdate }: StreamResponse = JSON.parse(json.toString());
  const message = (statusUpdate ?? task)?.status.message;
  if (!message) return undefined;
  const { taskId: _, ...plain }: Message = message;
  return JSON.stringify(plain);
}

/** Parses a message of the channel: events that one script wrote, a line each. */
export function parseMessage(message: string): FeedEvent[] {
  return message.split('\n').map(parseLine);
}

/**
 * Parses `id|header|json`. The id is `seq-incarnation`, followed by the incarnation of the event before if it differs.
 * The header is the state's letter, the number of an answered message, and `m` for a plain message or `a` for a task that
 * is submitted again (events.lua). A regular expression would take most of the time that an event costs.
 */
function parseLine(line: string): FeedEvent {
  const first = line.indexOf('|');
  const second = line.indexOf('|', first + 1);
  const dash = line.indexOf('-');
  const hasIncarnation = dash >= 0 && dash < first;
  const before = hasIncarnation ? line.indexOf('-', dash + 1) : -1;
  const incarnation = hasIncarnation ? Number.parseInt(line.slice(dash + 1, first), 10) : 0;
  const mark = second > first + 2 ? line[second - 1] : '';
  const answered = line.slice(first + 2, mark === 'm' || mark === 'a' ? second - 1 : second);
  return {
    seq: Number.parseInt(line, 10),
    incarnation,
    previous: before >= 0 && before < first ? Number.parseInt(line.slice(before + 1, first), 10) : incarnation,
    state: stateOf(line[first + 1] ?? ''),
    answered: answered === '' ? undefined : Number(answered),
    isPlainMessage: mark === 'm',
    json: line.slice(second + 1),
  };
}

/** Parses an event as the stream has it: its id is `<seq>-<incarnation>`, the name of its only field is the header. */
export function parseEvent([id, [header = '', json = '']]: [id: string, fields: string[]]): FeedEvent {
  return { ...parseLine(`${id}|${header}|`), previous: undefined, json };
}
