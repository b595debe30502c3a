import type { ServerResponse } from 'node:http';

/** A request whose answer is held back for as long as its client waits. */
export interface HeldRequest {
  /** Aborted with an `EndOfWait`. */
  readonly signal: AbortSignal;
  /** Ends the wait. Idempotent. */
  readonly leave: () => void;
}

/** What lets the client wait: its credential. */
export interface Access {
  /** Calls `listener` once, when it expires or is revoked. */
  onEnd(listener: () => void): Disposable;
}

/** The held requests: streams, blocking sends, long polls. Their waits end with their client, with its access, or at shutdown. */
export class HeldRequests {
  readonly #open = new Set<AbortController>();
  #end: EndOfWait | undefined;

  /** A signal that aborts with the connection, with the access of its client, or with the gateway. */
  watch(res: ServerResponse, access: Access): AbortSignal {
    const { signal, leave } = this.enter(access);
    res.on('close', leave);
    if (res.closed) leave();
    return signal;
  }

  /** Call `leave` of each. */
  enter(access: Access): HeldRequest {
    const controller = new AbortController();
    const end = access.onEnd(() => controller.abort(new EndOfWait('access-ended')));
    const leave = (): void => {
      this.#open.delete(controller);
      end[Symbol.dispose]();
      controller.abort(new EndOfWait('client-gone'));
    };
    this.#open.add(controller);
    if (this.#end) controller.abort(this.#end);
    return { signal: controller.signal, leave };
  }

  /** Ends all waits; each request is answered with what it has. Later requests do not wait. */
  end(): void {
    this.#end = new EndOfWait('shutdown');
    for (const controller of this.#open) controller.abort(this.#end);
  }
}

/** Why a wait ended before its event. */
export type EndOfWaitKind = 'client-gone' | 'access-ended' | 'shutdown';

/**
 * The reason of every aborted signal in the gateway. Not an error: the call stops waiting, and answers with what it
 * has.
 */
export class EndOfWait {
  readonly kind: EndOfWaitKind;

  constructor(kind: EndOfWaitKind) {
    this.kind = kind;
  }
}
