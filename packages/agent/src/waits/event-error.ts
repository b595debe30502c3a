/** Why a wait for an event failed. `unexpected-data`: the data of the event does not match the `schema` of the wait. */
export type EventFailure = 'timed-out' | 'unexpected-data';

/**
 * A wait for an event that ended without usable data.
 *
 *     try {
 *       await turn.waitFor('approval', { timeout: '1 day' });
 *     } catch (error) {
 *       if (!(error instanceof EventError && error.kind === 'timed-out')) throw error;
 *       return turn.reject('Nobody approved it in time.');
 *     }
 */
export class EventError extends Error {
  override readonly name = 'EventError';
  readonly kind: EventFailure;
  /** Name of the event. */
  readonly event: string;
  /** What was given, if it does not match. */
  readonly data: unknown;

  constructor(kind: EventFailure, event: string, { why, data }: { why: string; data?: unknown }) {
    super(`The event "${event}" ${why}`);
    this.kind = kind;
    this.event = event;
    this.data = data;
  }
}
