import type { ShardKeys } from '../redis/keys.ts';
import type { Acceptance } from '../tasks/submission.ts';

/** What all dead letters have: work that was given up, kept as long as its task. */
export interface DeadLetterHead {
  /** Of a turn its task's id, of a webhook that of its delivery queue. */
  readonly id: string;
  readonly taskId: string;
  readonly attempts: number;
  readonly reason: string;
  /** ISO time. */
  readonly diedAt: string;
}

/** - `missing`: there is no such dead letter. `refused`: the message could not be accepted again, and why. */
export type RetryResult =
  | { readonly verdict: 'retried'; readonly taskId: string }
  | { readonly verdict: 'missing' }
  | { readonly verdict: 'refused'; readonly why: Exclude<Acceptance['verdict'], 'accepted'> };

/** The dead letters of one kind. */
export interface DeadLetterStore<Letter extends DeadLetterHead> {
  /** Zset of a shard: id -> when in ms. */
  index(keys: ShardKeys): string;
  /** @returns undefined: there is no such dead letter, or no longer */
  get(id: string): Promise<Letter | undefined>;
  retry(id: string): Promise<RetryResult>;
  /** @returns false: there is no such dead letter */
  delete(id: string): Promise<boolean>;
}
