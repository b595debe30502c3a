import type { Message } from '@switchyard/protocol';
import { ownerOf, type Scope } from '../redis/principal.ts';
import type { WebhookDraft } from '../vault/webhook.ts';

/** What a client sends: the message, and what its turn is to know besides. */
export interface Submission {
  /** With the taskId and contextId that the client named, if any. */
  readonly message: Message;
  readonly acceptedOutputModes?: readonly string[];
  /** URIs of the extensions that the client asked for and the agent offers. */
  readonly extensions?: readonly string[];
  /** Metadata of the request. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** To be told of every event from this message on. */
  readonly webhook?: WebhookDraft;
  /**
   * How long the webhook is not told of the task that the message makes unless the agent says something: as long as the
   * caller may get a plain message instead.
   */
  readonly webhookHoldMs?: number | undefined;
  /** Of the task, if the message makes one: from `Feeds.expect` for this message. */
  readonly reservedId?: string;
  /** Of the task that is answered for a new task: 0 leaves the history out. */
  readonly historyLength?: number;
}

/** What decides on which shard a new task is: its context, or, if the client named none, whoever sends it. */
export function anchorOf(scope: Scope, { contextId, messageId }: Message): string {
  return contextId ?? ownerOf(scope) + messageId;
}

/** The turn in which an agent calls another one. */
export interface CallingTurn {
  readonly taskId: string;
  readonly agent: string;
  readonly fence: string;
  /** Of the called agent's turn: 1 if a client began the chain of calls that led to this turn. */
  readonly depth: number;
  /** The called task may outlive a completion of the caller's. */
  readonly isDetached: boolean;
}

/** What an agent sends to another one. */
export interface CallSubmission extends Submission {
  readonly caller: CallingTurn;
}

/**
 * `fenced`: the caller has lost its turn. `caller-canceling`: its task is about to end. `too-many-calls`: of its task
 * have not ended.
 */
export type RefusedCall =
  | { readonly verdict: 'fenced' }
  | { readonly verdict: 'caller-canceling' }
  | { readonly verdict: 'too-many-calls' };

/**
 * - `accepted`: durable. `number` counts the messages of the task: 1, 2, …; its caller is released by the first feed
 *   item
 *   whose `released` is as high. `seq` is where a feed goes on. `task`: the new task as JSON, when the message made it.
 *   `news`: of a task that waited for this message, what came at `seq`: its status and the message, as JSON of a task.
 * - `missing`: no such task in this scope, or no longer. `conflict`: the messageId came before with another body.
 * - `terminal`: the task has ended. `canceling`: it is about to. `inbox-full`: too many messages wait in it.
 * `history-full`: its messages take as many bytes as they may. `too-many-webhooks`: it has as many as it may have.
 */
export type Acceptance =
  | {
      readonly verdict: 'accepted';
      readonly isNew: boolean;
      readonly isDuplicate: boolean;
      readonly taskId: string;
      readonly contextId: string;
      readonly number: number;
      /** The last event, behind which a feed goes on. Not known of a duplicate. */
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

/** What a turn is given, as it lies in the inbox. */
export interface Delivery {
  readonly message: Message;
  readonly scopes: readonly string[];
  readonly acceptedOutputModes?: readonly string[];
  readonly extensions?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** The agent that called, if the message comes from one. */
  readonly caller?: Pick<CallingTurn, 'taskId' | 'agent' | 'depth'>;
}
