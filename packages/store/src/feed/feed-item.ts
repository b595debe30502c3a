import type { TaskState } from '@switchyard/protocol';
import { stateOf } from '../tasks/state-letters.ts';

/** One step of a feed: the task as it is, or one event. */
export interface FeedItem {
  readonly kind: 'task' | 'event';
  readonly seq: number;
  readonly state: TaskState;
  /** The highest number of a message whose caller need not wait any more. */
  readonly released: number;
  /** The turn answered with a plain message: the event is the completed status that carries it. */
  readonly isReply: boolean;
  /** JSON of the Task, or of the StreamResponse. */
  readonly json: string;
}

/** An event as the stream and the channel have it; `released` only where the event says so. */
export type FeedEvent = Omit<FeedItem, 'released' | 'kind'> & { readonly released?: number };

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
