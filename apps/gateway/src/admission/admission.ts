import { defaultScopes } from '@switchyard/operator-api';
import type { Principal } from '@switchyard/protocol';
import type { AnnouncedAgent } from '@switchyard/store';
import type { Identity } from '../auth/identity.ts';
import type { Holding, LimitedResources } from '../limits/limited-resources.ts';
import type { RatedAnswer, Rates } from '../limits/rates.ts';
import { type AuditEntry, audited } from '../telemetry/audit.ts';
import type { Caller, Emit } from '../telemetry/events.ts';
import { toA2AError } from '../telemetry/failures.ts';
import { type Action, actions, lacking, type PermissionScope, requireOneOf, requireScopes } from './scopes.ts';

export interface AdmissionDependencies {
  readonly resources: LimitedResources;
  readonly rates: Rates;
  readonly emit: Emit;
}

/** Where the request comes from. */
interface Source {
  readonly address: string | undefined;
  readonly requestId: string;
  /** Receives the rate limit headers; unset: they are not sent. */
  readonly answer?: RatedAnswer | undefined;
}

/** A request of an authenticated caller, from its headers to the end of its answer. */
export class Admission implements Disposable {
  readonly identity: Identity;
  readonly #address: string | undefined;
  /** As in `X-Request-Id`. */
  readonly requestId: string;
  readonly #dependencies: AdmissionDependencies;
  readonly #answer: RatedAnswer | undefined;
  #bytes: Holding | undefined;
  /** The action that the caller may do, and that is counted. */
  #permitted: Action | undefined;

  constructor(identity: Identity, { address, requestId, answer }: Source, dependencies: AdmissionDependencies) {
    this.identity = identity;
    // Not the whole request: a stream would keep its headers in memory.
    this.#address = address;
    this.requestId = requestId;
    this.#dependencies = dependencies;
    this.#answer = answer;
  }

  get principal(): Principal {
    return this.identity.principal;
  }

  /**
   * Requires the permission for the action of the request, and counts the request against its rates: once, as soon as
   * the action is known. @throws {A2AError} PermissionDenied, RateLimited
   */
  permit(action: Action): void {
    if (this.#permitted === action) return;
    this.requirePermission(action);
    const isCounted = this.#permitted !== undefined;
    this.#permitted = action;
    if (!isCounted) this.#consume(actions[action].scope, action);
  }

  /** Requires the permission for a further action of the request. @throws {A2AError} PermissionDenied */
  requirePermission(action: Action): void {
    const { scope } = actions[action];
    if (!this.identity.scopes.includes(scope)) this.#refusing(action, () => requireScopes(this.identity, [scope]));
  }

  /** Requires what the agent's card requires, when the agent is known. @throws {A2AError} PermissionDenied */
  requireAgent(action: Action, agent: AnnouncedAgent | undefined): void {
    const required = agent?.card.securityRequirements;
    if (required) this.#refusing(action, () => requireOneOf(this.identity, required));
  }

  #refusing(action: Action, check: () => void): void {
    try {
      check();
    } catch (refusal) {
      const reason = toA2AError(refusal).message;
      this.audit({ what: 'refused', outcome: 'PermissionDenied', reason, operation: action });
      throw refusal;
    }
  }

  /** Refuses callers without any scope before the body is read. @throws {A2AError} PermissionDenied */
  requireAnyPermission(): void {
    const { scopes } = this.identity;
    for (const scope of defaultScopes) if (scopes.includes(scope)) return;
    const refusal = lacking(defaultScopes, 'any of the scopes');
    this.audit({ what: 'refused', outcome: 'PermissionDenied', reason: refusal.message });
    throw refusal;
  }

  /** Whether the caller may use the agent; otherwise it does not exist for the caller. */
  canUse(agentId: string): boolean {
    return this.identity.agents?.includes(agentId) ?? true;
  }

  /** Counts an additional action of the request: a webhook in a message. @throws {A2AError} RateLimited */
  consumeExtra(action: Action): void {
    this.#consume(actions[action].scope, action);
  }

  /** Counts the request against the rate of all requests. @throws {A2AError} RateLimited */
  consumeTotal(): void {
    this.#consume('all');
  }

  #consume(kind: PermissionScope | 'all', operation?: Action): void {
    try {
      this.#dependencies.rates.consume(this.principal, kind, this.#answer);
    } catch (refusal) {
      this.audit({ what: 'refused', outcome: 'RateLimited', operation });
      throw refusal;
    }
  }

  /** Takes from the caller's share. Dispose of it at the end. @throws {A2AError} RateLimited, Unavailable */
  hold(kind: 'stream' | 'wait'): Disposable {
    const { streams, held } = this.#dependencies.resources;
    return (kind === 'stream' ? streams : held).take(this.principal);
  }

  /** Counts bytes of a body as they arrive, until it is released. @throws {A2AError} RateLimited, Unavailable */
  reserve(bytes: number): void {
    if (this.#bytes) this.#bytes.add(bytes);
    else this.#bytes = this.#dependencies.resources.bytes.take(this.principal, bytes);
  }

  /** Releases the body while the request continues. */
  release(): void {
    this.#bytes?.[Symbol.dispose]();
  }

  /** For logs. */
  get caller(): Caller {
    const { principal, credential } = this.identity;
    const { tenant, subject } = principal;
    return { tenant, subject, credential, address: this.#address, requestId: this.requestId };
  }

  /** Writes to the audit trail. */
  audit(entry: AuditEntry): void {
    const { caller } = this;
    this.#dependencies.emit(audited(entry, caller, caller));
  }

  [Symbol.dispose](): void {
    this.release();
  }
}
