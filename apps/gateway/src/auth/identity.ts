import { defaultScopes } from '@switchyard/operator-api';
import type { Principal } from '@switchyard/protocol';

export interface IdentityFields {
  readonly principal: Principal;
  /** The caller's scopes: of `defaultScopes`, `admin`, or the operator's own. */
  readonly scopes: readonly string[];
  /** The agents that the caller may use; unset: all. */
  readonly agents?: readonly string[] | undefined;
  /** Names the credential for operators, without its secret: `key:<id>`, `jwt:<issuer>`, … */
  readonly credential: string;
  /** In ms since 1970; unset: never. */
  readonly expiresAt?: number | undefined;
}

/** Node's longest timer; a later end is checked again then. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A caller with its credential. The same object while the credential is in the cache. */
export class Identity implements IdentityFields {
  readonly principal: Principal;
  readonly scopes: readonly string[];
  readonly agents: readonly string[] | undefined;
  readonly credential: string;
  readonly expiresAt: number | undefined;
  /** Unique to the caller: several callers may have the same credential. */
  readonly caller: string;
  readonly #listeners = new Set<() => void>();
  #isRevoked = false;

  constructor({ principal, scopes, agents, credential, expiresAt }: IdentityFields) {
    this.principal = principal;
    this.scopes = scopes;
    this.agents = agents;
    this.credential = credential;
    this.expiresAt = expiresAt;
    this.caller = `${credential} ${principal.tenant}/${principal.subject}`;
  }

  get hasEnded(): boolean {
    return this.#isRevoked || (this.expiresAt !== undefined && this.expiresAt <= Date.now());
  }

  /** Whether a call waits for its end. */
  get isWatched(): boolean {
    return this.#listeners.size > 0;
  }

  /** Calls `listener` once, when the credential expires or is revoked. Dispose of it when the call is over. */
  onEnd(listener: () => void): Disposable {
    let timer: NodeJS.Timeout | undefined;
    const dispose = (): void => {
      clearTimeout(timer);
      this.#listeners.delete(end);
    };
    const end = (): void => {
      dispose();
      listener();
    };
    const wait = (): void => {
      if (this.hasEnded) end();
      else if (this.expiresAt !== undefined)
        timer = setTimeout(wait, Math.min(this.expiresAt - Date.now(), LONGEST_TIMER_MS)).unref();
    };
    this.#listeners.add(end);
    wait();
    return { [Symbol.dispose]: dispose };
  }

  /** Call it when the credential was revoked or its rights changed. */
  revoke(): void {
    this.#isRevoked = true;
    for (const end of [...this.#listeners]) end();
  }
}

/** The identity of an API key. Without explicit scopes it has the default ones. */
export function identityOfKey(principal: Principal, rest: Omit<IdentityFields, 'principal' | 'scopes'>): Identity {
  const scopes = principal.scopes.length > 0 ? principal.scopes : defaultScopes;
  return new Identity({ principal, scopes, ...rest });
}
