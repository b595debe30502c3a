import type {
  CallingAgent,
  Message,
  MessageTrace,
  Metadata,
  Part,
  Principal,
  Priority,
  TurnInput,
} from '@switchyard/protocol';
import { integer, optional, text, tuple, verdict, words } from '@switchyard/redis';
import { ownerOf, type Scope } from '../../deployment/scope.ts';
import type { StoreSettings } from '../../deployment/settings.ts';
import type { Shards } from '../../deployment/shards.ts';
import type { WebhookDraft } from '../../encryption/webhook.ts';
import type { Schedule } from './schedule.ts';

/** A skill that a message names. */
export interface NamedSkill {
  readonly id: string;
  /** It has a queue of its own: all jobs of a task that the message makes enter that one. */
  readonly hasQueue: boolean;
}

/** A message from a client, and the parameters of its request. */
export interface Submission {
  /** With the client's taskId and contextId, if any. */
  readonly message: Message;
  /** As it was sent, if `message` has parts in another form: a retry is known by it. */
  readonly sentMessage?: Message | undefined;
  /** Identifies a retry, instead of the messageId. */
  readonly idempotencyKey?: string;
  readonly acceptedOutputModes?: readonly string[];
  /** URIs of the extensions that the client requests and the agent offers. */
  readonly extensions?: readonly string[];
  /** Metadata of the request. */
  readonly metadata?: Metadata;
  readonly skill?: NamedSkill | undefined;
  /** Of the task's messages from this one on; unset: as before, and of a new task `normal`. */
  readonly priority?: Priority | undefined;
  /**
   * ms within which a worker must begin its turn, or it is rejected; from its scheduled time on. No effect on a message
   * that waits behind others of its task.
   */
  readonly timeToLiveMs?: number | undefined;
  /** The trace, which the turn of the message continues. */
  readonly trace?: MessageTrace;
  /** Id of the request that brought it, for the log lines of its turn. */
  readonly requestId?: string;
  /** Gets every event from this message on. */
  readonly webhook?: WebhookDraft;
  /** Other webhooks of the task that the message makes. */
  readonly otherWebhooks?: readonly WebhookDraft[];
  /**
   * How long the webhook gets no event of a new task before the agent publishes one: as long as the caller may get a
   * plain message instead of a task.
   */
  readonly webhookHoldMs?: number | undefined;
  /** Hides the task that the message makes until the agent's first event: it may answer with a plain message. */
  readonly isHidden?: boolean;
  /** Id of the task if the message makes one: from `Feeds.presubscribe` for this message. */
  readonly reservedId?: string;
  /** Steps of another task, whose results the new task has from the start. */
  readonly steps?: StepsOfTask;
  /** When the new task begins. Not with `isHidden` or `webhookHoldMs`. */
  readonly schedule?: Schedule | undefined;
  /** With `schedule`: the previous task of the schedule, in the same context. It has one next task at most. */
  readonly previousTaskId?: string;
  /** Accepts the message only if the last event of its task has this number; ignored if the message makes a task. */
  readonly ifSeq?: number;
  /** For the snapshot of a new task: 0 leaves the history out. */
  readonly historyLength?: number;
}

/** Some steps of the first message of a task. */
export interface StepsOfTask {
  readonly taskId: string;
  /** Their names, in the order in which they were begun. */
  readonly names: readonly string[];
}

/** Decides on the shard of a new task: its context or, without one, sender and message. */
export function shardSeedOf(scope: Scope, submission: Pick<Submission, 'message' | 'idempotencyKey'>): string {
  return submission.message.contextId ?? ownerOf(scope) + retryName(submission);
}

/** The name that a retry shares with the first request: the idempotency key, or else the messageId. */
export function retryName({ message, idempotencyKey }: Pick<Submission, 'message' | 'idempotencyKey'>): string {
  return idempotencyKey === undefined ? message.messageId : keyName(idempotencyKey);
}

/** The name of a key among messageIds: no client uses such a messageId by accident. */
export function keyName(idempotencyKey: string): string {
  return `Idempotency-Key: ${idempotencyKey}`;
}

/** The turn in which an agent calls another one. */
export interface CallingTurn extends CallingAgent {
  readonly fence: string;
  /** The called task may go on when the caller's task completes. */
  readonly isDetached: boolean;
}

/** A message from one agent to another. */
export interface CallSubmission extends Submission {
  readonly caller: CallingTurn;
}

/** A message that is accepted only if its task waits for its client. */
export interface AnswerSubmission extends Submission {
  readonly onlyWaiting: true;
}

/** Why a message is refused: see `Acceptance`. */
const refusals = [
  'missing',
  'context-mismatch',
  'terminal',
  'canceling',
  'conflict',
  'inbox-full',
  'history-full',
  'too-many-webhooks',
  'working',
  'waits',
] as const;
/** Quotas that a message of a client meets: see `FullQuota`. */
const fullQuotas = [
  'too-many-open',
  'too-many-kept',
  'too-many-scheduled',
  'too-many-open-of-tenant',
  'too-many-bytes-of-tenant',
] as const;
/** Why the message of an agent is refused. */
const refusedCalls = ['fenced', 'caller-canceling', 'too-many-calls'] as const;

/** One type for each word. */
type Verdict<Word> = Word extends string ? { readonly verdict: Word } : never;

/**
 * `fenced`: the caller has lost its turn. `caller-canceling`: its task will be canceled. `too-many-calls`: too many
 * calls of its task have not ended.
 */
export type RefusedCall = Verdict<(typeof refusedCalls)[number]>;

/**
 * - `accepted`: the message is durable. `number` counts the messages of the task: 1, 2, …; the first feed item with
 *   such an `answered` ends its caller's wait. `seq`: where a feed resumes. `task`: JSON of the new task, if the message
 *   made one. `statusAndMessage`: for a task that waited for this message, the event at `seq`: its status and the
 *   message, as JSON of a task.
 * - `missing`: this scope has no such task. Of a message that makes a task: the steps that were copied for the task are
 *   gone. Or the previous task of its schedule is gone, or has a next task already.
 * - `conflict`: the messageId was used with another body.
 * - `other-seq`: the number of the task's last event is `seq`, and not `ifSeq`.
 * - `terminal`: the task has ended. `canceling`: it will be canceled. `inbox-full`: too many messages wait in it.
 *   `history-full`, `too-many-webhooks`: it has the most bytes of history, or webhooks, that it may have.
 *   `working`: its agent takes no message while its turn runs. `waits`: it is scheduled, and has not begun.
 * - the others: limits for messages of clients; see `FullQuota`.
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
      readonly statusAndMessage?: string;
    }
  | Verdict<(typeof refusals)[number]>
  | OtherSeq
  | FullQuota;

interface OtherSeq {
  readonly verdict: 'other-seq';
  readonly seq: number;
}

/**
 * `too-many-open`, `too-many-kept`, `too-many-scheduled`: the principal has the most tasks at the agent that it may
 * have: open ones, all, or scheduled ones. `too-many-open-of-tenant`, `too-many-bytes-of-tenant`: its tenant has the most.
 * `overloaded`: too many messages wait for the agent; they will have begun in `retryAfterSeconds`.
 */
export type FullQuota =
  | Verdict<(typeof fullQuotas)[number]>
  | { readonly verdict: 'overloaded'; readonly retryAfterSeconds: number };

/** The result of an operator's answer. `not-waiting`: its task waits for none. */
export type AnswerAcceptance = Acceptance | { readonly verdict: 'not-waiting' };

/** The result of an agent's message. */
export type CallAcceptance = Exclude<Acceptance, FullQuota | OtherSeq> | RefusedCall;

/** The JSON of an inbox entry: the input of a turn. */
export interface InboxEntry
  extends Pick<TurnInput, 'message'>,
    Partial<Pick<TurnInput, 'acceptedOutputModes' | 'extensions' | 'metadata' | 'caller'>> {
  readonly scopes: readonly string[];
  readonly skill?: NamedSkill;
  readonly trace?: MessageTrace;
  readonly requestId?: string;
}

/** An inbox entry as it is stored. */
export interface StoredEntry extends Omit<InboxEntry, 'message'> {
  /** Not stored for the message that made the task: it is the first one of the history. */
  readonly message?: Message;
  /** That the client named. */
  readonly contextId?: string;
}

/** @param entry as `inboxEntryText` makes it @param history of its task */
export function parseInboxEntry(entry: string, history: readonly Message[] = []): InboxEntry {
  const { message, contextId, ...input }: StoredEntry = JSON.parse(entry.slice(entry.indexOf('\n') + 1));
  if (message) return { ...input, message };
  const [first] = history;
  if (!first) throw new Error('The task has no message.');
  const { taskId: _, contextId: __, ...sent } = first;
  return { ...input, message: contextId === undefined ? sent : { ...sent, contextId } };
}

/** The parameters of the message that made a task, as kept with the task: sending it again uses them, too. */
export type KeptRequest = Omit<InboxEntry, 'message' | 'caller' | 'trace' | 'requestId'> &
  Pick<Submission, 'priority' | 'timeToLiveMs'>;

/**
 * Reply for an accepted message: task, context, number, seq, job; the timestamp of the status if it has a new job, else
 * ''; for a task that existed, the incarnation of its last event; for a duplicate, the skill whose queue has its jobs,
 * and their level.
 */
const accepted = tuple(
  text,
  text,
  integer,
  integer,
  integer,
  optional(text),
  optional(integer),
  optional(text),
  optional(text),
);

/** Reply of add-message.lua, and of make-tasks.lua for each message. */
export const acceptReply = verdict({
  accepted,
  duplicate: accepted,
  forgotten: tuple(text, integer),
  'other-seq': tuple(integer),
  ...words(...refusals, ...fullQuotas, ...refusedCalls, 'overloaded', 'not-waiting'),
});
export type AcceptReply = ReturnType<typeof acceptReply>;
/** Why a message was refused. */
export type Refusal = Extract<AcceptReply, readonly [string]>[0];

/** Arguments of both add-message.lua and make-tasks.lua. */
export const acceptArgNames = ['idempotencyMs', 'callerFence', 'callMode', 'maxCalls'] as const;

/** The key of the caller's task, if an agent calls. */
export function callerKey(shards: Shards, caller: CallingTurn | undefined): string | undefined {
  return caller && shards.of(caller.taskId).task(caller.taskId);
}

/** The values of `acceptArgNames`. */
export function acceptArgValues(settings: StoreSettings, caller: CallingTurn | undefined) {
  const { idempotencyMs, maxCalls } = settings;
  return {
    idempotencyMs,
    callerFence: caller?.fence ?? '',
    callMode: caller ? (caller.isDetached ? 'd' : 'w') : '',
    maxCalls: caller ? maxCalls : '',
  };
}

/** Whether a running turn waits for the message. */
export function isAwaited(caller: CallingTurn | undefined): boolean {
  return caller?.isDetached === false;
}

/**
 * Keeps the files that the parts refer to as long as a task exists that will be made. Undefined: there are none.
 * @throws it is not sure that they are kept: the task is made later
 */
export type KeepFiles = (principal: Principal, parts: readonly Part[], taskId: string) => Promise<void> | undefined;
