import type { Store } from '@switchyard/store';

/** What calls of other agents stand on. */
export interface CallingParts {
  readonly store: Store;
  /** Resolves when this process takes the turns of agents that are called by the URL of their card. */
  readonly reachElsewhere: () => Promise<void>;
  /** A turn that waits leaves its place in this process to another one. */
  readonly lendPlace: <T>(wait: () => Promise<T>) => Promise<T>;
}
