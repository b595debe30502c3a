import {
  A2AError,
  type FieldViolation,
  invalidParams,
  isReservedMetadata,
  type Metadata,
  requireMediaTypes,
  rerunUri,
  type SendMessageRequest,
  scheduleUri,
  skillUri,
  type TraceContext,
} from '@switchyard/protocol';
import {
  type Acceptance,
  type NamedSkill,
  namedSkill,
  type PreSubscription,
  type Schedule,
  type StepsOfTask,
  type Submission,
  skillHint,
} from '@switchyard/store';
import { traceContextIn, traceSend } from '@switchyard/telemetry';
import { requireOneOf } from '../admission/scopes.ts';
import type { Call } from '../call/call.ts';
import { isActive, requireExtensions } from '../call/extensions.ts';
import { legacyVersion } from '../exchange/service-parameters.ts';
import { hasFiles, type KeptFiles, keepFiles, requireFileUrls } from '../files/keep-files.ts';
import { checkAskedBudget, readPriority, readTimeToLive } from './asked-by-extension.ts';
import { type Backend, taskNotFound } from './backend.ts';
import type { ConditionalSend } from './if-generation.ts';
import { requireInput } from './input.ts';
import { refusalOf } from './refused-message.ts';
import { type Rerun, readRerun } from './rerun.ts';
import { readSchedule } from './schedule.ts';
import { inlineWebhook } from './webhook-draft.ts';

export type Accepted = Extract<Acceptance, { verdict: 'accepted' }>;

interface AcceptOptions {
  /** Becomes the task's id, if the message creates one. */
  readonly preSubscription?: PreSubscription | undefined;
  /**
   * How long the caller may still get a plain message: until then a webhook (except of A2A 0.3) gets no event of the
   * task.
   */
  readonly webhookHoldMs?: number;
  /** The caller waits for the answer, or reads it as a stream. */
  readonly isAwaited?: boolean;
  /** Of a rerun task; see `readRerun`. */
  readonly steps?: StepsOfTask | undefined;
  /** Of a task that begins later: its caller has it at once. */
  readonly schedule?: Schedule | undefined;
}

/**
 * Reads the rerun and schedule extensions of a message. `request`: the message to accept.
 * @throws {A2AError}
 */
export async function readExtensions(
  backend: Backend,
  call: Call,
  sent: ConditionalSend,
): Promise<Rerun & Pick<AcceptOptions, 'schedule'>> {
  const rerun = isActive(call, rerunUri) ? await readRerun(backend, call, sent) : { request: sent };
  const schedule = isActive(call, scheduleUri) ? await readSchedule(backend, rerun.request) : undefined;
  return { ...rerun, schedule };
}

/**
 * The first half of SendMessage and SendStreamingMessage: stores the message, and queues its turn.
 * @throws {A2AError}
 */
export async function acceptMessage(
  backend: Backend,
  call: Call,
  request: ConditionalSend,
  { preSubscription, webhookHoldMs, isAwaited = false, steps, schedule }: AcceptOptions = {},
): Promise<Accepted> {
  checkMessage(call, request);
  requireFileUrls(call, request, backend.files !== undefined);
  checkAskedBudget(request);
  await requireBudget(backend, call, request);
  const skill = skillOf(call, request);
  const priority = readPriority(call, request);
  const timeToLiveMs = readTimeToLive(call, request);
  const config = request.configuration?.taskPushNotificationConfig;
  if (config) {
    call.admission.requirePermission('CreateTaskPushNotificationConfig');
    call.admission.consumeExtra('CreateTaskPushNotificationConfig');
  }
  const traceContext = traceContextOf(call, request);
  const webhook = config && (await inlineWebhook(config, request, { backend, call, traceContext }));
  const { files, tasks, emit, settings } = backend;
  const inlineBytes = settings.files?.inlineBytes;
  const { taskId: named } = request.message;
  // Nobody would ever remove the mark that a file gets for a task of a deployment that does not exist.
  if (files && named !== undefined && !tasks.mayHave(named)) throw taskNotFound(named);
  const kept =
    files && hasFiles(request, inlineBytes)
      ? await keepFiles({ files, tasks, emit, inlineBytes }, call, { ...request, preSubscription })
      : undefined;
  const reservedId = (kept ?? preSubscription)?.taskId;
  const { agent } = call.scope;
  const sent = { agent, messageId: request.message.messageId, traceContext, isAwaited };
  const acceptance = await traceSend(sent, (trace) =>
    backend.tasks.accept(call.scope, {
      ...submission(call, request),
      ...kept?.moved,
      ...(skill && { skill }),
      ...(priority && { priority }),
      ...(timeToLiveMs !== undefined && { timeToLiveMs }),
      ...(steps && { steps }),
      ...(schedule && { schedule }),
      ...(trace && { trace }),
      requestId: call.admission.requestId,
      ...(webhook && { webhook, webhookHoldMs: webhook.version === legacyVersion ? 0 : webhookHoldMs }),
      isHidden: call.agent.repliesWithMessage && !schedule,
      ...(reservedId !== undefined && { reservedId }),
    }),
  );
  if (kept && !isKeptBy(acceptance, kept, named !== undefined)) await kept.release();
  if (acceptance.verdict !== 'accepted') throw refusalOf(acceptance, request, call);
  const { isDuplicate, isNew, taskId, contextId } = acceptance;
  if (timeToLiveMs !== undefined && !schedule) backend.late.follow(taskId, timeToLiveMs);
  if (!isDuplicate)
    backend.emit({
      kind: 'message-accepted',
      agent,
      taskId,
      contextId,
      isNew,
      ...(schedule && { at: schedule.at }),
      ...call.admission.caller,
    });
  const audited = { outcome: 'ok', agent, object: taskId };
  call.admission.audit({ what: 'send', ...audited });
  if (webhook) call.admission.audit({ what: 'push-register', ...audited });
  return acceptance;
}

/** @param hasTask the message is for an existing task: when it is sent again, the files have marks of the first time */
function isKeptBy(acceptance: Acceptance, { taskId }: KeptFiles, hasTask: boolean): boolean {
  if (acceptance.verdict !== 'accepted' || acceptance.taskId !== taskId) return false;
  return !(hasTask && acceptance.isDuplicate);
}

/**
 * The principal, and its tenant, have not spent their budgets for models.
 * @throws {A2AError} RateLimited, until a budget renews
 */
async function requireBudget(
  backend: Backend,
  { scope, idempotencyKey }: Call,
  { message }: SendMessageRequest,
): Promise<void> {
  const sent = { message, ...(idempotencyKey !== undefined && { idempotencyKey }) };
  const spent = await backend.tasks.spentBudget(scope, sent);
  if (!spent) return;
  const renewsAt = new Date(spent.renewsAtMs).toISOString();
  const whose = spent.of === 'tenant' ? 'your tenant' : 'your principal';
  throw new A2AError('RateLimited', `The budget of ${whose} for models is spent: it renews at ${renewsAt}`, {
    retryAfterSeconds: Math.max(1, Math.ceil((spent.renewsAtMs - Date.now()) / 1_000)),
    metadata: { limit: `budget-of-${spent.of}`, renewsAt },
  });
}

/** The trace context of a message: from its request, or from its metadata for clients that cannot set headers. */
function traceContextOf(
  { traceContext }: Pick<Call, 'traceContext'>,
  { message, metadata }: SendMessageRequest,
): TraceContext | undefined {
  const named = (given: Metadata = {}): TraceContext | undefined => traceContextIn(given.traceparent, given.tracestate);
  return traceContext ?? named(message.metadata) ?? named(metadata);
}

function submission(call: Call, { message, configuration, metadata }: ConditionalSend): Submission {
  const { activeExtensions: extensions, idempotencyKey } = call;
  return {
    message,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(configuration?.acceptedOutputModes && { acceptedOutputModes: configuration.acceptedOutputModes }),
    ...(configuration?.historyLength !== undefined && { historyLength: configuration.historyLength }),
    ...(extensions.length > 0 && { extensions }),
    ...(metadata && { metadata }),
    ...(configuration?.ifGenerationMatch !== undefined && { ifSeq: configuration.ifGenerationMatch }),
  };
}

/** Subscribes to the task that this message may create; a message with a taskId creates none. */
export function presubscribe(
  { feeds }: Backend,
  call: Call,
  { message }: SendMessageRequest,
): PreSubscription | undefined {
  const { scope, signal, idempotencyKey } = call;
  return message.taskId !== undefined || signal.aborted
    ? undefined
    : feeds.presubscribe(scope, { message, ...(idempotencyKey !== undefined && { idempotencyKey }) });
}

/**
 * Refuses a message that its client may not send, or that the agent cannot process.
 * @throws {A2AError}
 */
function checkMessage(call: Call, request: SendMessageRequest): void {
  requireClientRole(request);
  requireExtensions(call);
  requireMediaTypes(call.agent.extendedCard ?? call.agent.card, request);
  requireSkill(call, request);
  requireInput(call, request);
}

/**
 * Clients speak only for themselves: not as the agent, and not as an agent that calls it.
 * @throws {A2AError} InvalidParams
 */
function requireClientRole({ message, metadata }: SendMessageRequest): void {
  const violations = [...reservedIn('metadata', metadata), ...reservedIn('message.metadata', message.metadata)];
  message.parts.forEach((part, i) => {
    if (part.metadata) violations.push(...reservedIn(`message.parts[${i}].metadata`, part.metadata));
  });
  if (message.role === 'ROLE_AGENT')
    violations.push({ field: 'message.role', description: 'must be ROLE_USER: only agents send ROLE_AGENT' });
  if (violations.length > 0) throw invalidParams(violations);
}

/** Longest reserved key that is repeated in an error. */
const LONGEST_KEY = 64;

function reservedIn(path: string, metadata: Metadata | undefined): FieldViolation[] {
  if (!metadata) return [];
  const keys = Object.keys(metadata).filter(isReservedMetadata);
  return keys.map((key) => ({
    field: `${path}.${key.slice(0, LONGEST_KEY)}`,
    description: 'must not be set by clients',
  }));
}

/**
 * A2A has no field for a skill in a request. So each skill that a client names where agents often look must be allowed.
 * If the card protects a skill, any name that is not exactly one of its skills is refused, because the agent might read
 * it more loosely.
 * @throws {A2AError} PermissionDenied, InvalidParams
 */
function requireSkill({ agent, admission }: Call, { message, metadata }: SendMessageRequest): void {
  if (message.metadata?.skillId === undefined && metadata?.skillId === undefined) return;
  const { skills } = agent.extendedCard ?? agent.card;
  if (!skills.some(({ securityRequirements = [] }) => securityRequirements.length > 0)) return;
  for (const [path, named] of [
    ['message.metadata', message.metadata?.skillId],
    ['metadata', metadata?.skillId],
  ] as const) {
    if (named === undefined) continue;
    const skill = skills.find(({ id }) => id === named);
    if (!skill) throw invalidParams([{ field: `${path}.skillId`, description: 'is not a skill of this agent' }]);
    requireOneOf(admission.identity, skill.securityRequirements);
  }
}

/**
 * The skill that a message names with the skill extension.
 * @throws {A2AError} PermissionDenied, InvalidParams
 */
function skillOf(call: Call, { message }: SendMessageRequest): NamedSkill | undefined {
  const hint = skillHint(message);
  if (hint === undefined || !isActive(call, skillUri)) return undefined;
  const { agent, admission } = call;
  const named = namedSkill(agent, hint);
  if (!named) {
    const known = agent.card.skills.map(({ id }) => id).join(', ');
    const description = `must be the id of a skill of this agent; they are ${known}`;
    throw invalidParams([{ field: `message.metadata["${skillUri}"].skill`, description }]);
  }
  const { skills } = agent.extendedCard ?? agent.card;
  requireOneOf(admission.identity, skills.find(({ id }) => id === named.id)?.securityRequirements);
  return named;
}
