import { fold, type StreamResponse, type Task } from '@switchyard/protocol';
import type { FeedItem } from '@switchyard/store';
import type { Accepted } from './accept-message.ts';

/** Events of which a task is folded here; one with more is read. */
const MOST_EVENTS = 16;

/**
 * A new task as it was accepted, and what has been projection of it since: once it is completed it need not be read.
 */
export class TaskProjection {
  readonly #accepted: Accepted;
  readonly #events: FeedItem[] = [];
  #isWhole: boolean;

  constructor(accepted: Accepted) {
    this.#accepted = accepted;
    this.#isWhole = accepted.isNew;
  }

  apply(item: FeedItem): void {
    this.#isWhole &&= item.kind === 'event' && this.#events.length < MOST_EVENTS;
    if (this.#isWhole) this.#events.push(item);
  }

  /**
   * JSON of the task. Undefined unless its first message has completed it: then no other came, for that would be in its
   * history without an event, and would have kept it from its completion.
   */
  completed(historyLength = Number.POSITIVE_INFINITY): string | undefined {
    const last = this.#events.at(-1);
    if (!this.#isWhole || last?.state !== 'TASK_STATE_COMPLETED' || last.released !== 1) return undefined;
    const accepted: Task = JSON.parse(this.#accepted.task ?? '');
    const events = this.#events.map(({ json }): StreamResponse => JSON.parse(json));
    const { history = [], ...task } = events.reduce((before, event) => fold(before, event), accepted);
    const shown = historyLength === 0 ? [] : history.slice(-historyLength);
    return JSON.stringify(shown.length > 0 ? { ...task, history: shown } : task);
  }
}
