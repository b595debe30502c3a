import type { ServerResponse } from 'node:http';
import { A2AError } from '@switchyard/protocol';
import type { Admission } from '../admission/admission.ts';
import { EndOfWait, type EndOfWaitKind } from '../telemetry/end-of-wait.ts';

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

/** What a request came over: its HTTP response, or the peer of its gRPC connection (`address:port`). */
export type Carrier = ServerResponse | string;

/**
 * The held requests: streams, blocking sends, long polls. They end when their client disconnects or does not read, when
 * its credential expires or is revoked, when its gRPC connection is too old, or at shutdown.
 */
export class HeldRequests {
  readonly #open = new Map<AbortController, Carrier>();
  #end: EndOfWait | undefined;

  /** Aborted when the connection, the client's credential or the gateway ends. @throws {A2AError} as `hold` */
  watch(res: ServerResponse, admission: Waiter): AbortSignal {
    const { signal, release } = this.hold(admission, res);
    res.on('close', release);
    if (res.closed) release();
    return signal;
  }

  /** Call `release` of each. @throws {A2AError} RateLimited, Unavailable: too many requests are held */
  hold(admission: Waiter, carrier: Carrier): HeldRequest {
    const held = admission.hold('wait');
    const controller = new AbortController();
    const end = admission.identity.onEnd(() => controller.abort(new EndOfWait('access-ended')));
    const release = (): void => {
      if (!this.#open.delete(controller)) return;
      held[Symbol.dispose]();
      end[Symbol.dispose]();
      controller.abort(new EndOfWait('client-gone'));
    };
    this.#open.set(controller, carrier);
    if (this.#end) controller.abort(this.#end);
    return { signal: controller.signal, release };
  }

  /** Ends all waits; each request is answered with its current state. Later requests do not wait. */
  end(): void {
    this.#end = new EndOfWait('shutdown');
    for (const controller of this.#open.keys()) controller.abort(this.#end);
  }

  /** Ends the waits over a carrier. */
  cut(carrier: Carrier, kind: EndOfWaitKind): void {
    for (const [controller, its] of this.#open) if (its === carrier) controller.abort(new EndOfWait(kind));
  }
}

/**
 * The reason for a client whose stream ended without its last event.
 * @throws {A2AError} Unauthenticated, Unavailable
 */
export function throwIfCutShort({ reason }: AbortSignal): void {
  if (!(reason instanceof EndOfWait) || reason.kind === 'client-gone') return;
  if (reason.kind === 'access-ended')
    throw new A2AError('Unauthenticated', 'The credential of this stream has expired, or was revoked');
  const { [reason.kind]: why } = interruptions;
  throw new A2AError('Unavailable', `${why}: subscribe to the task again`, { retryAfterSeconds: 1, cause: reason });
}

const interruptions: Readonly<Record<Exclude<EndOfWaitKind, 'client-gone' | 'access-ended'>, string>> = {
  shutdown: 'This gateway is shutting down',
  'slow-reader': 'The client has read nothing of this stream for too long',
  'old-connection': 'The connection of this stream has reached its greatest age',
};
