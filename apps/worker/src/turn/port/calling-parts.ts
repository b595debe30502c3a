import type { Store } from '@switchyard/store';

/** What calls of other agents stand on. */
export interface CallingParts {
  readonly store: Store;
  /** Resolves when this process takes the turns of agents that are called by the URL of their card. */
  readonly reachElsewhere: () => Promise<void>;
  /** A turn that waits for another one yields its slot in this process to turns that are waited for. */
  readonly yieldSlot: <T>(wait: () => Promise<T>) => Promise<T>;
}
