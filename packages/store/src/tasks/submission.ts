import type { Caller, Message, Metadata, TurnInput } from '@switchyard/protocol';
import { ownerOf, type Scope } from '../redis/principal.ts';
import type { WebhookDraft } from '../vault/webhook.ts';

/** A message from a client, and what its turn needs to know of the request. */
export interface Submission {
  /** With the client's taskId and contextId, if any. */
  readonly message: Message;
  readonly acceptedOutputModes?: readonly string[];
  /** URIs of the extensions that the client asked for and the agent offers. */
  readonly extensions?: readonly string[];
  /** Metadata of the request. */
  readonly metadata?: Metadata;
  /** Gets every event from this message on. */
  readonly webhook?: WebhookDraft;
  /**
   * How long the webhook gets no event of a new task before the agent publishes one: as long as the caller may get a
   * plain message instead of a task.
   */
  readonly webhookHoldMs?: number | undefined;
  /** Id of the task if the message makes one: from `Feeds.presubscribe` for this message. */
  readonly reservedId?: string;
  /** For the snapshot of a new task: 0 leaves the history out. */
  readonly historyLength?: number;
}

/** Decides on the shard of a new task: its context or, without one, sender and message. */
export function anchorOf(scope: Scope, { contextId, messageId }: Message): string {
  return contextId ?? ownerOf(scope) + messageId;
}

/** The turn in which an agent calls another one. */
export interface CallingTurn extends Caller {
  readonly fence: string;
  /** The called task may go on when the caller's task completes. */
  readonly isDetached: boolean;
}

/** A message from one agent to another. */
export interface CallSubmission extends Submission {
  readonly caller: CallingTurn;
}

/**
 * `fenced`: the caller has lost its turn. `caller-canceling`: its task is to be canceled. `too-many-calls`: too many of
 * its task's calls have not ended.
 */
export type RefusedCall =
  | { readonly verdict: 'fenced' }
  | { readonly verdict: 'caller-canceling' }
  | { readonly verdict: 'too-many-calls' };

/**
 * - `accepted`: durable. `number` counts the messages of the task: 1, 2, …; its caller is released by the first feed
 *   item whose `released` is as high. `seq`: where a feed resumes. `task`: JSON of the new task, when the message made
 *   it. `news`: for a task that waited for this message, the event at `seq`: its status and the message, as JSON of a
 *   task.
 * - `missing`: no such task in this scope. `conflict`: the messageId came before with another body.
 * - `terminal`: the task has ended. `canceling`: it is to be canceled. `inbox-full`: too many messages wait in it.
 *   `history-full`: its history has its most bytes. `too-many-webhooks`: it has its most webhooks.
 */
export type Acceptance =
  | {
      readonly verdict: 'accepted';
      readonly isNew: boolean;
      readonly isDuplicate: boolean;
      readonly taskId: string;
      readonly contextId: string;
      readonly number: number;
      /** The last event, after which a feed resumes. Unknown for a duplicate. */
      readonly seq: number;
      readonly incarnation?: number;
      readonly task?: string;
      readonly news?: string;
    }
  | {
      readonly verdict:
        | 'missing'
        | 'context-mismatch'
        | 'terminal'
        | 'canceling'
        | 'conflict'
        | 'inbox-full'
        | 'history-full'
        | 'too-many-webhooks';
    };

/** The contents of an inbox entry. */
export interface Delivery
  extends Pick<TurnInput, 'message'>,
    Partial<Pick<TurnInput, 'acceptedOutputModes' | 'extensions' | 'metadata' | 'caller'>> {
  readonly scopes: readonly string[];
}
