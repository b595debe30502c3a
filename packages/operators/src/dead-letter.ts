import type { Acceptance, ShardKeys } from '@switchyard/store/inside';

/** The fields of all dead letters: work that was given up. They are kept as long as their task. */
export interface DeadLetterHead {
  /** The task's id for a turn, the delivery queue's id for a webhook. */
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
  /** @returns undefined: there is no such dead letter, or it has expired */
  get(id: string): Promise<Letter | undefined>;
  retry(id: string): Promise<RetryResult>;
  /** @returns false: there is no such dead letter */
  delete(id: string): Promise<boolean>;
}
