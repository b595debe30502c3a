import type { ServerResponse } from 'node:http';

/** A call that waits for as long as its client does. */
export interface WaitingCall {
  /** Aborted with an `Interruption`. */
  readonly signal: AbortSignal;
  /** Nobody wants the answer any more. Idempotent. */
  readonly leave: () => void;
}

/**
 * The calls that wait for something: streams, blocking sends, long polls. Their clients can leave, and shutdown ends
 * them all.
 */
export class WaitingCalls {
  readonly #open = new Set<AbortController>();
  #end: Interruption | undefined;

  /** A signal that aborts with the connection, or with the gateway. */
  watch(res: ServerResponse): AbortSignal {
    const { signal, leave } = this.enter();
    res.on('close', leave);
    if (res.closed) leave();
    return signal;
  }

  /** Every call that enters must leave. */
  enter(): WaitingCall {
    const controller = new AbortController();
    const leave = (): void => {
      this.#open.delete(controller);
      controller.abort(new Interruption('client-gone'));
    };
    this.#open.add(controller);
    if (this.#end) controller.abort(this.#end);
    return { signal: controller.signal, leave };
  }

  /** Wakes all of them; each answers what it has. Those that come later do not wait. */
  end(): void {
    this.#end = new Interruption('shutdown');
    for (const controller of this.#open) controller.abort(this.#end);
  }
}

/** Why a call that waits was woken before what it waits for came. */
export type InterruptionKind = 'client-gone' | 'shutdown';

/**
 * The reason of every signal in the gateway. An interruption is not an error: the call stops waiting, and answers
 * what it has.
 */
export class Interruption {
  readonly kind: InterruptionKind;

  constructor(kind: InterruptionKind) {
    this.kind = kind;
  }
}
