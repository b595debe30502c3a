import { A2AError, type Principal } from '@switchyard/protocol';
import { principalKey } from '@switchyard/store';
import { type AuthSettings, isAuthenticated } from '../settings/identity-settings.ts';
import type { ResourceLimitSettings, ResourceSettings } from '../settings/limit-settings.ts';

/** Limits of a resource in this process. */
export interface ResourceLimits {
  readonly total: number;
  readonly perTenant: number;
  readonly perPrincipal: number;
}

/** A request's part of a resource. Dispose of it to release it. */
export interface Holding extends Disposable {
  /** @throws {A2AError} RateLimited: the principal or tenant has its share; Unavailable: the resource is used up */
  add(amount: number): void;
}

/** A resource with a maximum share for each principal and each tenant. The state ends with the process. */
export class LimitedResource {
  readonly #what: string;
  readonly #limits: ResourceLimits;
  readonly #ofTenants = new Counts();
  readonly #ofPrincipals = new Counts();
  #taken = 0;

  /** @param what as in "too many streams" */
  constructor(what: string, limits: ResourceLimits) {
    this.#what = what;
    this.#limits = limits;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Principals that use the resource. */
  get holders(): number {
    return this.#ofPrincipals.size;
  }

  /** @throws {A2AError} as `add` of the result */
  take(principal: Principal, amount = 1): Holding {
    const { tenant } = principal;
    const owner = principalKey(principal);
    let held = 0;
    const add = (more: number): void => {
      this.#requireRoom(tenant, owner, more);
      this.#change(tenant, owner, more);
      held += more;
    };
    const giveBack = (): void => {
      this.#change(tenant, owner, -held);
      held = 0;
    };
    add(amount);
    return { add, [Symbol.dispose]: giveBack };
  }

  #change(tenant: string, owner: string, by: number): void {
    this.#taken += by;
    this.#ofTenants.change(tenant, by);
    this.#ofPrincipals.change(owner, by);
  }

  #requireRoom(tenant: string, owner: string, more: number): void {
    const { total, perTenant, perPrincipal } = this.#limits;
    // Another replica may have capacity.
    if (this.#taken + more > total) throw this.#tooMany('Unavailable', 'at this gateway');
    if (this.#ofPrincipals.of(owner) + more > perPrincipal)
      throw this.#tooMany('RateLimited', 'of your principal at this gateway');
    if (this.#ofTenants.of(tenant) + more > perTenant)
      throw this.#tooMany('RateLimited', 'of your tenant at this gateway');
  }

  #tooMany(code: 'RateLimited' | 'Unavailable', where: string): A2AError {
    const metadata = { limit: this.#what.replaceAll(' ', '-') };
    return new A2AError(code, `Too many ${this.#what} ${where}`, { retryAfterSeconds: 1, metadata });
  }
}

/** Counts by name; zeros are removed. */
class Counts {
  readonly #counts = new Map<string, number>();

  get size(): number {
    return this.#counts.size;
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  change(name: string, by: number): void {
    const count = this.of(name) + by;
    if (count > 0) this.#counts.set(name, count);
    else this.#counts.delete(name);
  }
}

/** Resources that requests use. */
export interface LimitedResources {
  /** Open streams. */
  readonly streams: LimitedResource;
  /** Requests whose answers are held back: streams, blocking sends, long polls. */
  readonly held: LimitedResource;
  /** Bytes of bodies until they are answered or their stream begins. */
  readonly bytes: LimitedResource;
}

export function createLimitedResources(settings: ResourceSettings, auth: AuthSettings): LimitedResources {
  const hasPrincipals = isAuthenticated(auth);
  const limits = (one: ResourceLimitSettings): ResourceLimits => limitsOf(one, hasPrincipals);
  return {
    streams: new LimitedResource('streams', limits(settings.streams)),
    held: new LimitedResource('requests', limits(settings.held)),
    bytes: new LimitedResource('bytes of requests', limits(settings.bytes)),
  };
}

/** Four busy principals or two busy tenants can use it up; without authentication there is only one principal. */
function limitsOf({ total, perTenant, perPrincipal }: ResourceLimitSettings, hasPrincipals: boolean): ResourceLimits {
  return {
    total,
    perTenant: perTenant ?? (hasPrincipals ? Math.ceil(total / 2) : total),
    perPrincipal: perPrincipal ?? (hasPrincipals ? Math.ceil(total / 4) : total),
  };
}
