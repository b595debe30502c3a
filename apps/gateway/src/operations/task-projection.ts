import { fold, type StreamResponse, type Task } from '@switchyard/protocol';
import type { FeedItem } from '@switchyard/store';
import type { Accepted } from './accept-message.ts';

/** A task with more events is read instead of folded. */
const MOST_EVENTS = 16;

/** Folds the events of a new task into it: if the task completes soon, it need not be read. */
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
   * JSON of the task, if its first message completed it: otherwise a later message, which is in the history without an
   * event, may be missing.
   */
  completed(historyLength = Number.POSITIVE_INFINITY): string | undefined {
    const last = this.#events.at(-1);
    if (!this.#isWhole || last?.state !== 'TASK_STATE_COMPLETED' || last.released !== 1) return undefined;
    const accepted: Task = JSON.parse(this.#accepted.task ?? '');
    const events = this.#events.map(({ json }): StreamResponse => JSON.parse(json.toString()));
    const { history = [], ...task } = events.reduce((before, event) => fold(before, event), accepted);
    const shown = historyLength === 0 ? [] : history.slice(-historyLength);
    return JSON.stringify(shown.length > 0 ? { ...task, history: shown } : task);
  }
}
