import { usualScopes } from '@switchyard/operator-api';
import type { Principal } from '@switchyard/protocol';
import type { AnnouncedAgent } from '@switchyard/store';
import type { Identity } from '../auth/identity.ts';
import type { RatedAnswer, Rates } from '../limits/rates.ts';
import type { Holding, Shares } from '../limits/shares.ts';
import { type AuditEntry, audited } from '../telemetry/audit.ts';
import type { Caller, Emit } from '../telemetry/events.ts';
import { type Action, actions, lacking, requireOneOf, requireScopes, type Scope } from './scopes.ts';

export interface AdmissionParts {
  readonly shares: Shares;
  readonly rates: Rates;
  readonly emit: Emit;
}

/** Where the request came from. */
interface Source {
  readonly address: string | undefined;
  readonly requestId: string;
  /** Gets the headers of rates; unset: they are not said. */
  readonly answer?: RatedAnswer | undefined;
}

/** A request of a known caller, from its headers to the end of its answer. */
export class Admission implements Disposable {
  readonly identity: Identity;
  readonly #address: string | undefined;
  /** As `X-Request-Id` has it. */
  readonly requestId: string;
  readonly #parts: AdmissionParts;
  readonly #answer: RatedAnswer | undefined;
  #bytes: Holding | undefined;
  #isSpent = false;

  constructor(identity: Identity, { address, requestId, answer }: Source, parts: AdmissionParts) {
    this.identity = identity;
    // Not the whole arrival: a stream would hold its headers.
    this.#address = address;
    this.requestId = requestId;
    this.#parts = parts;
    this.#answer = answer;
  }

  get principal(): Principal {
    return this.identity.principal;
  }

  /** May be asked again when the agent is known. @throws {A2AError} PermissionDenied */
  may(action: Action, agent?: AnnouncedAgent): void {
    try {
      const { scope } = actions[action];
      if (!this.identity.scopes.includes(scope)) requireScopes(this.identity, [scope]);
      if (agent?.card.securityRequirements) requireOneOf(this.identity, agent.card.securityRequirements);
    } catch (refusal) {
      this.audit({ what: 'refused', outcome: 'PermissionDenied', operation: action });
      throw refusal;
    }
  }

  /** What a request asks for may be in its body, which who may do nothing need not send. @throws {A2AError} */
  mayAnything(): void {
    const { scopes } = this.identity;
    for (const scope of usualScopes) if (scopes.includes(scope)) return;
    this.audit({ what: 'refused', outcome: 'PermissionDenied' });
    throw lacking(usualScopes, 'any of the scopes');
  }

  /** Whether the agent exists for the caller. */
  sees(agentId: string): boolean {
    return this.identity.agents?.includes(agentId) ?? true;
  }

  /** Counts the request, once, as soon as it is known what it asks for. @throws {A2AError} RateLimited */
  spend(action: Action): void {
    if (this.#isSpent) return;
    this.#isSpent = true;
    this.#spend(actions[action].scope, action);
  }

  /** Counts what the request asks for besides: a webhook for a message's task. @throws {A2AError} RateLimited */
  spendAlso(action: Action): void {
    this.#spend(actions[action].scope, action);
  }

  /** Counts the request, whatever it asks for. @throws {A2AError} RateLimited */
  spendAny(): void {
    this.#spend('all');
  }

  #spend(kind: Scope | 'all', operation?: Action): void {
    try {
      this.#parts.rates.spend(this.principal, kind, this.#answer);
    } catch (refusal) {
      this.audit({ what: 'refused', outcome: 'RateLimited', operation });
      throw refusal;
    }
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

  /** For logs. */
  get caller(): Caller {
    const { principal, credential } = this.identity;
    const { tenant, subject } = principal;
    return { tenant, subject, credential, address: this.#address, requestId: this.requestId };
  }

  /** Tells the audit trail. */
  audit(entry: AuditEntry): void {
    const { caller } = this;
    this.#parts.emit(audited(entry, caller, caller));
  }

  [Symbol.dispose](): void {
    this.release();
  }
}
