import { defineScript, runDurably } from '@switchyard/redis';
import type { ChangeDependencies } from '../../deployment/deployment.ts';
import { idText } from '../../deployment/keys.ts';
import { ownerOf, type Scope } from '../../deployment/scope.ts';
import type { Encryption } from '../../encryption/encryption.ts';
import { encryptWebhook, type WebhookDraft, withId } from '../../encryption/webhook.ts';
import type { QueueLoads } from '../../queue/load.ts';
import { queueName, queueRoot } from '../../queue/queue-names.ts';
import type { Queues } from '../../queue/queues.ts';
import { recordArgNames, recordArgValues, recordKeyNames } from '../../record/record-args.ts';
import { quotaArgValues } from '../quotas/quotas.ts';
import { findArchived, type HasArchive } from '../read/archived-reads.ts';
import { readingAt } from '../read/task-reading.ts';
import { hiddenLetter, stateLetters, withdrawnLetter } from '../visibility/state-letters.ts';
import { copySteps } from './copy-steps.ts';
import { claimNameOfMessage, dropName } from './idempotency-keys.ts';
import type { MoreOfTask, NewTasks } from './new-tasks.ts';
import {
  type AnySubmission,
  bodyOf,
  fingerprint,
  inboxEntryText,
  keptRequest,
  type PreparedMessage,
  submittedTask,
} from './prepared-message.ts';
import { scheduleText } from './schedule.ts';
import {
  type Acceptance,
  type AcceptReply,
  type AnswerAcceptance,
  type AnswerSubmission,
  acceptArgNames,
  acceptArgValues,
  acceptReply,
  type CallAcceptance,
  type CallSubmission,
  callerKey,
  isAwaited,
  type Refusal,
  retryName,
  type Submission,
  shardSeedOf,
} from './submission.ts';

export const addMessageScript = defineScript({
  file: 'add-message.lua',
  from: import.meta.url,
  keys: [...recordKeyNames, 'messageId', 'queueRoot', 'caller?'],
  args: [
    ...recordArgNames,
    ...acceptArgNames,
    'owner',
    'context',
    'fingerprint',
    'message',
    'entry',
    'ttlMs',
    'level',
    'maxInbox',
    'maxHistory',
    'configId',
    'encrypted',
    'maxWebhooks',
    'maxBytes',
    'onlyWaiting',
    'cancels',
    'ifSeq?',
  ],
  reply: acceptReply,
});

export interface AcceptDependencies extends ChangeDependencies, HasArchive {
  readonly queue: Queues;
  readonly newTasks: NewTasks;
  readonly loads: QueueLoads;
  readonly encryption: Encryption;
}

/** Accepts a message: writes it and its job in one step. If the queue loses the job, the sweeper adds it again. */
export function accept(dependencies: AcceptDependencies, scope: Scope, submission: Submission): Promise<Acceptance>;
export function accept(
  dependencies: AcceptDependencies,
  scope: Scope,
  submission: CallSubmission,
): Promise<CallAcceptance>;
export function accept(
  dependencies: AcceptDependencies,
  scope: Scope,
  submission: AnswerSubmission,
): Promise<AnswerAcceptance>;
export async function accept(
  dependencies: AcceptDependencies,
  scope: Scope,
  submission: AnySubmission,
): Promise<Acceptance | CallAcceptance | AnswerAcceptance> {
  const { taskId: existing } = submission.message;
  const sent = withScheduleId(dependencies, scope, { ...submission, body: bodyOf(submission.message) });
  const make = sent.steps ? makeTaskWithSteps : makeTask;
  const write = () =>
    existing === undefined ? make(dependencies, scope, sent) : addMessage(dependencies, scope, sent, existing);
  const written = await (isNamedByClient(sent) ? withName(dependencies, scope, sent, write) : write());
  const reply = written[0] === 'forgotten' ? await archivedAnswer(dependencies, scope, written) : written;
  if (reply[0] === 'other-seq') return { verdict: 'other-seq', seq: reply[1] };
  if (isRefusal(reply)) return refusal(dependencies, scope, sent, reply[0]);
  const [verdict, taskId, context, number, seq, job, timestamp, lastIncarnation, skill, level] = reply;
  const isDuplicate = verdict === 'duplicate';
  // A retry of the client adds a job at once that the queue has lost.
  if (isDuplicate && job)
    await dependencies.queue.add(
      ownerOf(scope),
      { taskId, job, skill: skill ?? '', level: level ?? '' },
      { isAwaited: isAwaited(submission.caller) },
    );
  const contextId = unescaped(context);
  const accepted = { verdict: 'accepted', isDuplicate, taskId, contextId, number, seq } as const;
  const incarnation = lastIncarnation ?? 0;
  if (isDuplicate) return { ...accepted, isNew: false };
  const submitted = timestamp ? submittedTask(sent, taskId, contextId, timestamp) : undefined;
  const content = submitted === undefined ? {} : { [existing === undefined ? 'task' : 'statusAndMessage']: submitted };
  return { ...accepted, incarnation, isNew: existing === undefined, ...content };
}

/** The tasks of a series name the first one, whose id is that of the schedule. */
function withScheduleId({ shards }: AcceptDependencies, scope: Scope, sent: PreparedMessage): PreparedMessage {
  const { schedule } = sent;
  if (schedule?.cron === undefined || schedule.scheduleId !== undefined) return sent;
  const reservedId = sent.reservedId ?? shards.newId(shardSeedOf(scope, sent));
  return { ...sent, reservedId, schedule: { ...schedule, scheduleId: reservedId } };
}

/** The ids of messages of agents and schedules are ours: none is used twice. */
const isNamedByClient = ({ caller, previousTaskId }: PreparedMessage): boolean =>
  !caller && previousTaskId === undefined;

/** With several shards, claims the message's `retryName` first, and drops it if the message is refused. */
async function withName(
  dependencies: AcceptDependencies,
  scope: Scope,
  sent: PreparedMessage,
  write: () => Promise<AcceptReply>,
): Promise<AcceptReply> {
  if (dependencies.shards.all.length === 1) return write();
  const shardSeed = sent.message.taskId ?? shardSeedOf(scope, sent);
  const name = retryName(sent);
  const claim = await claimNameOfMessage(dependencies, scope, { name, fingerprint: fingerprint(sent), shardSeed });
  if (claim === 'conflict') return ['conflict'];
  const reply = await write();
  if (claim === 'first' && (reply[0] === 'other-seq' || isRefusal(reply))) await dropName(dependencies, scope, name);
  return reply;
}

type Forgotten = Extract<AcceptReply, readonly ['forgotten', ...unknown[]]>;
type Answer = Exclude<AcceptReply, Forgotten>;

/** The answer to a message that was sent before, whose task Redis does not have: the archive may. */
async function archivedAnswer(
  dependencies: AcceptDependencies,
  scope: Scope,
  [, taskId, number]: Forgotten,
): Promise<Answer> {
  const archived = await findArchived(dependencies, scope, taskId);
  if (!archived) return ['missing'];
  const { seq } = readingAt(archived.version, archived.letter);
  return ['duplicate', taskId, archived.context, number, seq, 0, null, null, null, null];
}

/** A refusal has only its verdict; `other-seq` also has the number. */
function isRefusal(reply: AcceptReply): reply is [Refusal] {
  return reply.length === 1;
}

async function refusal(
  dependencies: AcceptDependencies,
  scope: Scope,
  sent: PreparedMessage,
  verdict: Refusal,
): Promise<Acceptance | CallAcceptance | AnswerAcceptance> {
  if (verdict === 'missing') return refusalOfMissing(dependencies, scope, sent);
  if (verdict !== 'overloaded') return { verdict };
  const keys = dependencies.shards.of(shardSeedOf(scope, sent));
  return {
    verdict,
    retryAfterSeconds: await dependencies.loads.retryAfterSeconds(queueRoot(queueFor(scope, sent), keys)),
  };
}

/** Of a message to a task that Redis does not have: it may be in the archive. In the order of add-message.lua. */
async function refusalOfMissing(
  dependencies: AcceptDependencies,
  scope: Scope,
  { message: { taskId, contextId }, onlyWaiting, ifSeq }: PreparedMessage,
): Promise<AnswerAcceptance> {
  const archived = taskId === undefined ? undefined : await findArchived(dependencies, scope, taskId);
  if (!archived || archived.letter === withdrawnLetter) return { verdict: 'missing' };
  if (onlyWaiting) return { verdict: 'not-waiting' };
  if (contextId !== undefined && archived.context !== idText(contextId)) return { verdict: 'context-mismatch' };
  const { seq } = readingAt(archived.version, archived.letter);
  return ifSeq !== undefined && ifSeq !== seq ? { verdict: 'other-seq', seq } : { verdict: 'terminal' };
}

/** 31 years: a number that Redis can still add to a time. */
const LONGEST_HOLD_MS = 1e12;

/** Makes a task. A new context has the id of its first task (docs/adr/0005). */
function makeTask(dependencies: AcceptDependencies, scope: Scope, sent: PreparedMessage): Promise<AcceptReply> {
  const { message, body } = sent;
  const { contextId } = message;
  const owner = ownerOf(scope);
  const taskId = sent.reservedId ?? dependencies.shards.newId(shardSeedOf(scope, sent));
  const keys = dependencies.shards.of(taskId);
  const root = queueRoot(queueFor(scope, sent), keys);
  const task = {
    taskId,
    owner,
    context: idText(contextId ?? taskId),
    messageIdKey: keys.messageId(scope, retryName(sent)),
    fingerprint: fingerprint(sent),
    body,
    entry: inboxEntryText(scope, sent),
    queueRoot: root,
    maxWaiting: dependencies.loads.waitingLimit(root),
    state: sent.isHidden ? hiddenLetter : stateLetters.TASK_STATE_SUBMITTED,
    request: keptRequest(scope, sent),
    more: moreOf(dependencies, taskId, sent),
  } as const;
  return dependencies.newTasks.make(task, sent.caller);
}

function moreOf(dependencies: AcceptDependencies, taskId: string, sent: PreparedMessage): MoreOfTask {
  const { webhook, steps, skill, priority = 'normal', timeToLiveMs, schedule, previousTaskId } = sent;
  const isUsual = priority === 'normal' && !webhook && !steps && !skill?.hasQueue && !schedule;
  if (isUsual && timeToLiveMs === undefined && previousTaskId === undefined) return {};
  return {
    ...(webhook && newWebhooks(dependencies, taskId, { ...sent, webhook })),
    hasSteps: steps ? '1' : undefined,
    skill: skill?.hasQueue ? skill.id : undefined,
    level: priority === 'normal' ? undefined : priority,
    ttlMs: timeToLiveMs,
    scheduledMs: schedule && Math.max(1, Date.parse(schedule.at)),
    schedule: schedule && scheduleText(schedule),
    previousId: previousTaskId,
  };
}

/** The queue of a task that the message makes. */
function queueFor({ agent }: Scope, { skill }: PreparedMessage): string {
  return queueName(agent, skill?.hasQueue ? skill.id : undefined);
}

async function makeTaskWithSteps(
  dependencies: AcceptDependencies,
  scope: Scope,
  sent: PreparedMessage,
): Promise<AcceptReply> {
  const reservedId = sent.reservedId ?? dependencies.shards.newId(shardSeedOf(scope, sent));
  if (sent.steps && (await copySteps(dependencies, sent.steps, reservedId)) === 'unknown') return ['missing'];
  return makeTask(dependencies, scope, { ...sent, reservedId });
}

function addMessage(
  dependencies: AcceptDependencies,
  scope: Scope,
  sent: PreparedMessage,
  taskId: string,
): Promise<AcceptReply> {
  const { shards, settings } = dependencies;
  const { message, body, caller } = sent;
  const { contextId } = message;
  const keys = shards.of(taskId);
  return runDurably(dependencies, addMessageScript, {
    keys: {
      ...keys.record(taskId),
      messageId: keys.messageId(scope, retryName(sent)),
      queueRoot: queueRoot(queueName(scope.agent), keys),
      caller: callerKey(shards, caller),
    },
    args: {
      ...recordArgValues(taskId, settings),
      ...acceptArgValues(settings, caller),
      owner: ownerOf(scope),
      context: contextId === undefined ? '' : idText(contextId),
      fingerprint: fingerprint(sent),
      message: body,
      entry: inboxEntryText(scope, sent),
      ttlMs: sent.timeToLiveMs ?? '',
      level: sent.priority ?? '',
      maxInbox: settings.maxInbox,
      maxHistory: settings.maxHistoryBytes,
      ...(sent.webhook ? encryptedWebhook(dependencies, taskId, sent.webhook) : { configId: '', encrypted: '' }),
      maxWebhooks: settings.maxWebhooks,
      maxBytes: quotaArgValues(settings).maxBytes,
      onlyWaiting: sent.onlyWaiting ? '1' : '',
      cancels: keys.cancels,
      ifSeq: sent.ifSeq,
    },
  });
}

/** The webhooks of a new task. */
function newWebhooks(
  dependencies: AcceptDependencies,
  taskId: string,
  sent: PreparedMessage & { readonly webhook: WebhookDraft },
): MoreOfTask {
  const { webhook, otherWebhooks = [], webhookHoldMs = 0 } = sent;
  const all = [webhook, ...otherWebhooks].map((draft) => encryptedWebhook(dependencies, taskId, draft));
  return {
    configIds: all.map(({ configId }) => configId).join('\n'),
    encrypted: all.map(({ encrypted }) => encrypted).join('\n'),
    holdMs: Math.min(webhookHoldMs, LONGEST_HOLD_MS),
  };
}

/** Id and encrypted config. */
function encryptedWebhook({ encryption }: AcceptDependencies, taskId: string, draft: WebhookDraft) {
  const webhook = withId(draft, taskId);
  return { configId: webhook.id, encrypted: encryptWebhook(encryption, taskId, webhook) };
}

const unescaped = (text: string): string => JSON.parse(`"${text}"`);
