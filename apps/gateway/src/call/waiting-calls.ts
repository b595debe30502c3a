import type { ServerResponse } from 'node:http';

/** A call that waits for as long as its client does. */
export interface WaitingCall {
  /** Aborted with an `Interruption`. */
  readonly signal: AbortSignal;
  /** Ends the wait. Idempotent. */
  readonly leave: () => void;
}

/** The waiting calls: streams, blocking sends, long polls. They end with their client or at shutdown. */
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

  /** Call `leave` of each. */
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

  /** Interrupts all of them; each answers with what it has. Later calls do not wait. */
  end(): void {
    this.#end = new Interruption('shutdown');
    for (const controller of this.#open) controller.abort(this.#end);
  }
}

/** Why a waiting call was interrupted. */
export type InterruptionKind = 'client-gone' | 'shutdown';

/**
 * The reason of every aborted signal in the gateway. Not an error: the call stops waiting, and answers with what it
 * has.
 */
export class Interruption {
  readonly kind: InterruptionKind;

  constructor(kind: InterruptionKind) {
    this.kind = kind;
  }
}
