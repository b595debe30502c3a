import { hash, randomUUID } from 'node:crypto';
import { ownerOf, type Scope } from '../principal.ts';
import { sealWebhook } from '../push/sealed-webhook.ts';
import type { Vault } from '../push/vault.ts';
import { addJobArguments, type Queue } from '../queue/queue.ts';
import type { RedisConnection } from '../redis/connection.ts';
import { jsonText } from '../redis/keys.ts';
import { recordArguments } from '../redis/record-arguments.ts';
import { Script } from '../redis/script.ts';
import type { Shards } from '../redis/shards.ts';
import type { StoreSettings } from '../settings.ts';
import type { Acceptance, CallingTurn, CallSubmission, Delivery, RefusedCall, Submission } from './submission.ts';

/** Replicas that are well need a millisecond. */
const REPLICATED_WITHIN_MS = 1_000;

export const acceptScript = new Script('accept.lua', import.meta.url);

type Refusal = Exclude<Acceptance['verdict'], 'accepted'> | RefusedCall['verdict'];
type Reply =
  | [Refusal]
  | [
      verdict: 'scheduled' | 'queued' | 'duplicate',
      taskId: string,
      context: string,
      number: number,
      seq: number,
      job: number,
      timestamp: string,
    ];

export interface AcceptPort {
  readonly redis: RedisConnection;
  /** For messages that wait for replicas: what else is asked of Redis must not wait behind them. */
  readonly replicated: RedisConnection | undefined;
  readonly shards: Shards;
  readonly queue: Queue;
  readonly vault: Vault;
  readonly settings: StoreSettings;
}

/** Writes the message, and the job that will run its turn, in one step. Should the queue lose the job, the sweeper adds it again. */
export function accept(port: AcceptPort, scope: Scope, submission: Submission): Promise<Acceptance>;
export function accept(port: AcceptPort, scope: Scope, submission: CallSubmission): Promise<Acceptance | RefusedCall>;
export function accept(
  port: AcceptPort,
  scope: Scope,
  submission: Submission & Partial<CallSubmission>,
): Promise<Acceptance | RefusedCall> {
  const { taskId, contextId, ...message } = submission.message;
  const sent: Sent = { ...submission, body: JSON.stringify(message).slice(0, -1) };
  return submit(port, scope, sent, taskId === undefined ? newIds(port, scope, submission) : idsIn(taskId, contextId));
}

/** `body`: JSON of the message up to where its taskId and contextId are written. Made once: a message may be large. */
type Sent = Submission & Partial<CallSubmission> & { readonly body: string };

async function submit(port: AcceptPort, scope: Scope, submission: Sent, ids: Ids): Promise<Acceptance | RefusedCall> {
  const reply = await run(port, scope, submission, ids);
  if (reply.length === 1) return { verdict: reply[0] };
  const [verdict, taskId, context, number, seq, job, timestamp] = reply;
  const isDuplicate = verdict === 'duplicate';
  // So that a client's retry repairs at once what a queue has lost.
  if (isDuplicate && job) await port.queue.add(scope.agent, taskId, job, urgency(submission));
  const contextId = unescaped(context);
  const accepted = { verdict: 'accepted', isDuplicate, taskId, contextId, number, seq } as const;
  if (isDuplicate || !ids.makesTask) return { ...accepted, isNew: false };
  return { ...accepted, isNew: true, task: newTask(submission, taskId, contextId, timestamp) };
}

interface Ids {
  readonly taskId: string;
  /** As JSON text; '' when the client named none. */
  readonly contextId: string;
  readonly makesTask: boolean;
}

/** A context that the client did not name is that of the task which opens it, and has its id (docs/adr/0023). */
function newIds({ shards }: AcceptPort, scope: Scope, { message }: Submission): Ids {
  const taskId = shards.newId(message.contextId ?? ownerOf(scope) + message.messageId);
  return { taskId, contextId: jsonText(message.contextId ?? taskId), makesTask: true };
}

function idsIn(taskId: string, contextId: string | undefined): Ids {
  return { taskId, contextId: contextId === undefined ? '' : jsonText(contextId), makesTask: false };
}

async function run(port: AcceptPort, scope: Scope, submission: Sent, ids: Ids): Promise<Reply> {
  const { redis, replicated, settings } = port;
  const { names, args } = commandOf(port, scope, submission, ids);
  const { waitReplicas: replicas } = settings;
  if (!replicated) return (await acceptScript.run(redis, names, args)) as Reply;
  const replication = { replicas, timeoutMs: REPLICATED_WITHIN_MS };
  return (await acceptScript.runReplicated(replicated, names, args, replication)) as Reply;
}

function commandOf(
  port: AcceptPort,
  scope: Scope,
  submission: Sent,
  ids: Ids,
): { names: string[]; args: (string | number)[] } {
  const { shards, settings } = port;
  const keys = shards.of(ids.taskId);
  const job = addJobArguments(scope.agent, keys, urgency(submission));
  return {
    names: [
      ...keys.record(ids.taskId),
      keys.accepted(scope, submission.message.messageId),
      job.root,
      ...(submission.caller ? [keys.task(submission.caller.taskId)] : []),
    ],
    args: [
      ...recordArguments(ids.taskId, settings),
      ownerOf(scope),
      ids.contextId,
      ids.makesTask ? '1' : '',
      fingerprint(submission),
      submission.body,
      entry(scope, submission),
      settings.maxInbox,
      settings.idempotencyMs,
      job.options,
      ...(submission.caller
        ? callerArguments(port, submission.caller)
        : webhookArguments(port, ids.taskId, submission)),
    ],
  };
}

function callerArguments({ settings }: AcceptPort, { epoch, isDetached }: CallingTurn): (string | number)[] {
  return [epoch, isDetached ? 'd' : 'w', settings.maxCalls];
}

/** A turn waits for it, and holds on to what it has meanwhile. */
function urgency({ caller }: Sent): { isAwaited: boolean } {
  return { isAwaited: caller?.isDetached === false };
}

function webhookArguments(
  { vault, settings }: AcceptPort,
  taskId: string,
  { webhook }: Submission,
): (string | number)[] {
  if (!webhook) return [];
  const id = webhook.id ?? randomUUID();
  return [id, sealWebhook(vault, taskId, { ...webhook, id }), settings.maxWebhooks];
}

/** Tells a retry from another message under the same messageId. Without the credentials: it is not kept secret. */
function fingerprint({ message, body, metadata, webhook }: Sent): string {
  const { taskId, contextId } = message;
  const others = JSON.stringify([taskId, contextId, metadata, webhook?.url, webhook?.id]);
  return hash('sha256', `${body}\n${others}`, 'base64url').slice(0, 22);
}

/** A `Delivery`, as JSON, behind the id of its message. */
function entry(scope: Scope, { message, body, acceptedOutputModes, extensions, metadata, caller }: Sent): string {
  const { messageId, taskId, contextId } = message;
  const ids = JSON.stringify({ taskId, contextId });
  const delivery: Omit<Delivery, 'message'> = {
    scopes: scope.principal.scopes,
    ...(acceptedOutputModes?.length && { acceptedOutputModes }),
    ...(extensions?.length && { extensions }),
    ...(metadata && { metadata }),
    ...(caller && { caller: { taskId: caller.taskId, agent: caller.agent, depth: caller.depth } }),
  };
  const whole = ids === '{}' ? `${body}}` : `${body},${ids.slice(1)}`;
  return `${JSON.stringify(messageId)}\n{"message":${whole},${JSON.stringify(delivery).slice(1)}`;
}

/** The new task exactly as a read would answer it: the caller needs no second round trip. */
function newTask({ historyLength, body }: Sent, taskId: string, contextId: string, timestamp: string): string {
  const head = `{"id":"${taskId}","contextId":${JSON.stringify(contextId)},"status":{"state":"TASK_STATE_SUBMITTED","timestamp":"${timestamp}"}`;
  if (historyLength === 0) return `${head}}`;
  const ids = `,"taskId":"${taskId}","contextId":${JSON.stringify(contextId)}}`;
  return `${head},"history":[${body}${ids}]}`;
}

const unescaped = (text: string): string => JSON.parse(`"${text}"`);
