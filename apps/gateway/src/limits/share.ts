import { A2AError, type Principal } from '@switchyard/protocol';
import { principalKey } from '@switchyard/store';

/** How much of something there may be at a time, in this process. */
export interface ShareLimits {
  readonly total: number;
  readonly perTenant: number;
  readonly perPrincipal: number;
}

/** What a request holds of something. Dispose of it to give it back. */
export interface Holding extends Disposable {
  /** @throws {A2AError} RateLimited: the rest is not for this principal or tenant; Unavailable: there is no rest */
  add(amount: number): void;
}

/** Something of which each principal and each tenant can hold a part. What is held ends with the process. */
export class Share {
  readonly #what: string;
  readonly #limits: ShareLimits;
  readonly #ofTenants = new Counts();
  readonly #ofPrincipals = new Counts();
  #taken = 0;

  /** @param what as in "too many streams" */
  constructor(what: string, limits: ShareLimits) {
    this.#what = what;
    this.#limits = limits;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Principals that hold something. */
  get holders(): number {
    return this.#ofPrincipals.size;
  }

  /** @throws {A2AError} as `add` of what it returns */
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
    // Another replica may have room.
    if (this.#taken + more > total) throw this.#tooMany('Unavailable', 'are open here');
    if (this.#ofPrincipals.of(owner) + more > perPrincipal)
      throw this.#tooMany('RateLimited', 'of yours are open here');
    if (this.#ofTenants.of(tenant) + more > perTenant)
      throw this.#tooMany('RateLimited', 'of your tenant are open here');
  }

  #tooMany(code: 'RateLimited' | 'Unavailable', where: string): A2AError {
    const metadata = { limit: this.#what.replaceAll(' ', '-') };
    return new A2AError(code, `Too many ${this.#what} ${where}`, { retryAfterSeconds: 1, metadata });
  }
}

/** Numbers by name, without those that are 0. */
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
