import type { Place } from '@switchyard/store';

/** One thing that a webhook is to be told. */
export interface Notification {
  /** Names it among all that the webhook is told, so that a receiver knows it again: the seq, or something behind it. */
  readonly mark: string;
  /** StreamResponse (A2A 4.3.3); for clients of 0.3 the Task. */
  readonly body: string;
  /** Where the webhook is once it was told. */
  readonly place: Place;
}

/** Nothing to be told, but somewhere to be. */
export interface Passage {
  readonly place: Place;
  readonly body?: undefined;
}
