import type { PendingWait } from '../port/wait-port.ts';

/** How long a turn must have done nothing but wait, so that waits that its code begins together are known together. */
const QUIET_MS = 10;

/** The waits of a turn that end its run, as soon as nothing else of it runs that is known. */
export class PendingWaits {
  readonly list: PendingWait[] = [];
  readonly #suspended = Promise.withResolvers<void>();
  #busy = 0;
  #isSuspended = false;
  #timer: NodeJS.Timeout | undefined;

  /** Resolves when the turn does nothing but wait. */
  get suspended(): Promise<void> {
    return this.#suspended.promise;
  }

  get isSuspended(): boolean {
    return this.#isSuspended;
  }

  /** Runs work during which the turn is not suspended. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#busy++;
    try {
      return await work();
    } finally {
      this.#busy--;
      this.#check();
    }
  }

  /** @returns a promise that never settles: the run of the turn ends while its code waits for it */
  add(wait: PendingWait): Promise<never> {
    this.list.push(wait);
    this.#check();
    return new Promise<never>(() => undefined);
  }

  #check(): void {
    clearTimeout(this.#timer);
    if (this.#busy > 0 || this.list.length === 0) return;
    this.#timer = setTimeout(() => {
      if (this.#busy > 0) return;
      this.#isSuspended = true;
      this.#suspended.resolve();
    }, QUIET_MS);
  }
}
