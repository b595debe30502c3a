import type { TaskState } from '@switchyard/protocol';
import { stateOf } from '../tasks/state-letters.ts';
import type { TaskReading } from '../tasks/task-reading.ts';

/** One step of a feed: the task as it is, or one event. */
export interface FeedItem {
  readonly kind: 'task' | 'event';
  readonly seq: number;
  readonly state: TaskState;
  /** The highest number of a message whose caller need not wait any more. */
  readonly released: number;
  /** The turn answered with a plain message: it is in the completed status, of the event or of the task. */
  readonly isReply: boolean;
  /** JSON of the A2A StreamResponse (3.2.3). */
  readonly json: string;
}

/** An event as the stream and the channel have it; `released` only where the event says so. */
export type FeedEvent = Omit<FeedItem, 'released' | 'kind'> & { readonly released?: number };

/** How far a task has come. */
export type Position = Pick<TaskReading, 'seq' | 'state' | 'released'> & Partial<Pick<TaskReading, 'isWithdrawn'>>;

/** With which a feed begins, or goes on where events are missing. @param task JSON of the Task */
export function taskItem({ seq, state, released, isWithdrawn = false }: Position, task: string | Buffer): FeedItem {
  return { kind: 'task', seq, state, released, isReply: isWithdrawn, json: `{"task":${task}}` };
}

const MARK = /^([a-zA-Z])(\d*)(m?)$/;

/** @param mark state letter, number of a released message, `m` for a plain message: see `say` in record.lua */
function feedEvent(seq: number, mark: string, json: string): FeedEvent {
  const [, letter = '', released = '', reply = ''] = MARK.exec(mark) ?? [];
  return { seq, state: stateOf(letter), isReply: reply === 'm', json, ...(released && { released: Number(released) }) };
}

/** A message of the channel: events that were written together, a line each. */
export function parseMessage(message: string): FeedEvent[] {
  return message.split('\n').map(parseLine);
}

/** `seq|mark|json` */
function parseLine(line: string): FeedEvent {
  const first = line.indexOf('|');
  const second = line.indexOf('|', first + 1);
  return feedEvent(Number(line.slice(0, first)), line.slice(first + 1, second), line.slice(second + 1));
}

/** An entry of the stream: id `<seq>-0`, one field named by the mark. */
export function parseEntry([id, [mark = '', json = '']]: [id: string, fields: string[]]): FeedEvent {
  return feedEvent(Number.parseInt(id, 10), mark, json);
}
