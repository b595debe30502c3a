/**
 * - `shutdown`: the worker stops; the turn runs again on another one, and the attempt does not count.
 * - `deadline`: the turn took longer than its agent's `turnTimeoutMs`.
 * - `canceled`: the client canceled the task.
 * - `taken-over`: another worker has taken the turn over; later writes are refused.
 * - `suspended`: the turn waits (`turn.sleep`, `turn.waitFor`), and runs again from the top when the wait has ended.
 */
export type InterruptionKind = 'shutdown' | 'deadline' | 'canceled' | 'taken-over' | 'suspended';

const meanings: Record<InterruptionKind, string> = {
  shutdown: 'The worker is shutting down.',
  deadline: 'The turn took too long.',
  canceled: 'The task was canceled.',
  'taken-over': 'The turn does not own its task any more.',
  suspended: 'The turn waits, and runs again from the top when the wait has ended.',
};

/**
 * The reason of a turn's abort signal: `turn.signal.reason`.
 *
 *     turn.signal.addEventListener('abort', () => {
 *       const { reason } = turn.signal;
 *       if (reason instanceof TurnInterruption) turn.log.info('Stopped', { why: reason.kind });
 *     });
 */
export class TurnInterruption extends Error {
  override readonly name = 'TurnInterruption';
  readonly kind: InterruptionKind;

  constructor(kind: InterruptionKind, message = meanings[kind]) {
    super(message);
    this.kind = kind;
  }

  /** Reads the reason of any aborted signal. An unknown reason counts as a shutdown: the turn runs again. */
  static from(reason: unknown): TurnInterruption {
    if (reason instanceof TurnInterruption) return reason;
    return new TurnInterruption(isInterruption(reason) ? reason.kind : 'shutdown');
  }
}

function isInterruption(reason: unknown): reason is { kind: InterruptionKind } {
  return typeof reason === 'object' && reason !== null && 'kind' in reason && String(reason.kind) in meanings;
}
