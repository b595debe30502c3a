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

  /** @param caller has the stack of the wait's caller: the engine loses it while the turn waits */
  constructor(
    kind: EventFailure,
    event: string,
    { why, data, caller }: { why: string; data?: unknown; caller?: { readonly stack: string } },
  ) {
    super(`The event "${event}" ${why}`);
    const [, ...frames] = caller?.stack.split(/\n(?= {4}at )/) ?? [];
    if (frames.length > 0) this.stack = [`EventError: ${this.message}`, ...frames].join('\n');
    this.kind = kind;
    this.event = event;
    this.data = data;
  }
}
