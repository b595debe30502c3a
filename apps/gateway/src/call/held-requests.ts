import type { ServerResponse } from 'node:http';
import { A2AError } from '@switchyard/protocol';
import type { Admission } from '../admission/admission.ts';

/** A request whose answer is held back while its client waits. */
export interface HeldRequest {
  /** Aborted with an `EndOfWait`. */
  readonly signal: AbortSignal;
  /** Ends the wait. Idempotent. */
  readonly release: () => void;
}

interface Waiter extends Pick<Admission, 'hold'> {
  readonly identity: Pick<Admission['identity'], 'onEnd'>;
}

/**
 * The held requests: streams, blocking sends, long polls. They end when their client disconnects, when its credential
 * expires or is revoked, or at shutdown.
 */
export class HeldRequests {
  readonly #open = new Set<AbortController>();
  #end: EndOfWait | undefined;

  /** Aborted when the connection, the client's credential or the gateway ends. @throws {A2AError} as `hold` */
  watch(res: ServerResponse, admission: Waiter): AbortSignal {
    const { signal, release } = this.hold(admission);
    res.on('close', release);
    if (res.closed) release();
    return signal;
  }

  /** Call `release` of each. @throws {A2AError} RateLimited, Unavailable: too many requests are held */
  hold(admission: Waiter): HeldRequest {
    const held = admission.hold('wait');
    const controller = new AbortController();
    const end = admission.identity.onEnd(() => controller.abort(new EndOfWait('access-ended')));
    const release = (): void => {
      if (!this.#open.delete(controller)) return;
      held[Symbol.dispose]();
      end[Symbol.dispose]();
      controller.abort(new EndOfWait('client-gone'));
    };
    this.#open.add(controller);
    if (this.#end) controller.abort(this.#end);
    return { signal: controller.signal, release };
  }

  /** Ends all waits; each request is answered with its current state. Later requests do not wait. */
  end(): void {
    this.#end = new EndOfWait('shutdown');
    for (const controller of this.#open) controller.abort(this.#end);
  }
}

/**
 * The reason for a client whose stream ended without its last event.
 * @throws {A2AError} Unauthenticated, Unavailable
 */
export function throwIfCutShort({ reason }: AbortSignal): void {
  if (!(reason instanceof EndOfWait)) return;
  if (reason.kind === 'access-ended')
    throw new A2AError('Unauthenticated', 'The credential of this stream has expired, or was revoked');
  if (reason.kind === 'shutdown')
    throw new A2AError('Unavailable', 'This gateway is shutting down: subscribe to the task again', {
      retryAfterSeconds: 1,
    });
}

/** Why a wait ended before its event. */
export type EndOfWaitKind = 'client-gone' | 'access-ended' | 'shutdown';

/**
 * The reason of every aborted signal in the gateway. Not an error: the call stops waiting and answers with its current
 * state.
 */
export class EndOfWait {
  readonly kind: EndOfWaitKind;

  constructor(kind: EndOfWaitKind) {
    this.kind = kind;
  }
}
