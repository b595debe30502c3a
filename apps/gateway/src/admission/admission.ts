import type { Principal } from '@switchyard/protocol';
import type { AnnouncedAgent } from '@switchyard/store';
import type { Identity } from '../auth/identity.ts';
import type { Holding } from '../limits/share.ts';
import type { Shares } from '../limits/shares.ts';
import type { Action } from './actions.ts';

export interface AdmissionParts {
  readonly shares: Shares;
}

/** A request of a known caller, from its headers to the end of its answer. */
export class Admission implements Disposable {
  readonly identity: Identity;
  readonly #parts: AdmissionParts;
  #bytes: Holding | undefined;

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

  /** Of what is held for long. Dispose of it at its end. @throws {A2AError} RateLimited, Unavailable */
  hold(kind: 'stream' | 'wait'): Disposable {
    const { streams, held } = this.#parts.shares;
    return (kind === 'stream' ? streams : held).take(this.principal);
  }

  /** Bytes of a body, as they arrive, until it is not needed any more. @throws {A2AError} RateLimited, Unavailable */
  reserve(bytes: number): void {
    if (this.#bytes) this.#bytes.add(bytes);
    else this.#bytes = this.#parts.shares.bytes.take(this.principal, bytes);
  }

  /** The body is not needed any more, though the request goes on. */
  release(): void {
    this.#bytes?.[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.release();
  }
}
