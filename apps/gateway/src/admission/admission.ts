import type { Principal } from '@switchyard/protocol';
import type { AnnouncedAgent } from '@switchyard/store';
import type { Identity } from '../auth/identity.ts';
import type { StreamSlots } from '../limits/stream-slots.ts';
import type { Action } from './actions.ts';

export interface AdmissionParts {
  readonly streams: StreamSlots;
}

/** A request of a known caller, from its headers to the end of its answer. */
export class Admission implements Disposable {
  readonly identity: Identity;
  readonly #parts: AdmissionParts;

  constructor(identity: Identity, parts: AdmissionParts) {
    this.identity = identity;
    this.#parts = parts;
  }

  get principal(): Principal {
    return this.identity.principal;
  }

  /** May be asked again when more of the request is known. @throws {A2AError} PermissionDenied, NotFound */
  may(_action: Action, _agent?: AnnouncedAgent): void {
    // Everybody may do everything.
  }

  /** Counts the request: once, before its body. @throws {A2AError} RateLimited */
  spend(_action: Action): void {
    // Rates are unlimited.
  }

  /** Of what is held for long, each has a number. Dispose of it at its end. @throws {A2AError} Unavailable */
  hold(kind: 'stream' | 'wait'): Disposable {
    return kind === 'stream' ? this.#parts.streams.take() : unbounded;
  }

  /** Bytes of a body, as they arrive, until the request is over. @throws {A2AError} RateLimited, Unavailable */
  reserve(_bytes: number): void {
    // Bytes are unlimited.
  }

  [Symbol.dispose](): void {
    // Nothing is held yet.
  }
}

const unbounded: Disposable = { [Symbol.dispose]: () => undefined };
