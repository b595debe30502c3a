import {
  fold,
  type Message,
  type Part,
  type SendMessageRequest,
  type StreamResponse,
  type Task,
} from '@switchyard/protocol';
import { type Json, retainCopies } from '@switchyard/store';
import { offersStreaming } from '../agents/build-card.ts';
import type { GatewayContext } from '../bindings/gateway-context.ts';
import { type OperationResult, runOperation } from '../operations/operation.ts';
import type { OperationName } from '../operations/operations.ts';
import type { McpCall } from './mcp-call.ts';
import type { Ask } from './tools.ts';

/** A task, or the plain message of an agent. */
export type Outcome = { readonly task: Task } | { readonly message: Message };

export interface AskOptions {
  /** The same message sent twice is accepted once. */
  readonly messageId: string;
  /** Of the request, for extensions. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Called with the agent's progress; unset: not requested. */
  readonly onProgress?: ((what: string) => Promise<void>) | undefined;
}

type Operations = Pick<GatewayContext, 'operations'>;

/** Sends a message and waits, like a blocking SendMessage; for progress it follows the stream instead. */
export async function askAgent(
  context: Operations,
  call: McpCall,
  ask: Ask,
  { messageId, metadata, onProgress }: AskOptions,
): Promise<Outcome> {
  const request = { ...requestOf(ask, messageId), metadata };
  if (onProgress && offersStreaming(call.agent.card)) return follow(context, call, { request, onProgress });
  return unary(context, call, 'SendMessage', request);
}

/** The current task, or after its next change: see `waitMs` of the call. */
export function outcomeOfTask(context: Operations, call: McpCall, id: string): Promise<Outcome> {
  return unary(context, call, 'GetTask', { id, historyLength: 0 });
}

export function outcomeOfCancel(context: Operations, call: McpCall, id: string): Promise<Outcome> {
  return unary(context, call, 'CancelTask', { id });
}

function requestOf({ message, data, taskId, contextId }: Ask, messageId: string): SendMessageRequest {
  const parts: Part[] = [{ text: message }, ...(data === undefined ? [] : [{ data }])];
  return {
    message: {
      messageId,
      role: 'ROLE_USER',
      parts,
      ...(taskId !== undefined && { taskId }),
      ...(contextId !== undefined && { contextId }),
    },
    configuration: { returnImmediately: false, historyLength: 0 },
  };
}

async function unary(
  { operations }: Operations,
  call: McpCall,
  operation: OperationName,
  params: object,
): Promise<Outcome> {
  const answer = await runOperation(operations[operation], { call, params });
  if ('items' in answer) throw new Error(`${operation} is no stream`);
  const answered: StreamResponse | Task = parsed(answer.json ?? 'null');
  return 'id' in answered ? { task: answered } : outcomeOf(answered);
}

interface Following {
  readonly request: SendMessageRequest;
  readonly onProgress: (what: string) => Promise<void>;
}

async function follow({ operations }: Operations, call: McpCall, { request, onProgress }: Following): Promise<Outcome> {
  using answer = streamed(await runOperation(operations.SendStreamingMessage, { call, params: request }));
  let outcome: Outcome | undefined;
  for await (const { json } of answer.items) {
    const event: StreamResponse = parsed(json);
    outcome = outcome && 'task' in outcome && !event.message ? { task: fold(outcome.task, event) } : outcomeOf(event);
    const what = progressIn(event);
    if (what !== undefined) await onProgress(what);
  }
  if (!outcome) throw new Error('A stream begins with a task or a message');
  return outcome;
}

function streamed(answer: OperationResult): Extract<OperationResult, { items: unknown }> {
  if ('items' in answer) return answer;
  throw new Error('SendStreamingMessage is a stream');
}

function outcomeOf({ task, message }: StreamResponse): Outcome {
  if (message) return { message };
  if (task) return { task };
  throw new Error('An answer is a task or a message');
}

/** Further parts of an artifact are not reported. */
function progressIn({ statusUpdate, artifactUpdate, task }: StreamResponse): string | undefined {
  if (artifactUpdate) return artifactUpdate.append ? undefined : `Artifact: ${artifactUpdate.artifact.name ?? ''}`;
  const status = statusUpdate?.status ?? task?.status;
  if (!status) return undefined;
  return textOfParts(status.message?.parts ?? []).slice(0, 500) || status.state;
}

export function textOfParts(parts: readonly Part[]): string {
  return parts.flatMap(({ text }) => text ?? []).join('\n');
}

/** The text and the parsed JSON are in memory while they are converted to a result. @throws {AnswersTooLarge} */
function parsed<Parsed>(json: Json): Parsed {
  using _copies = retainCopies(json, 2);
  return JSON.parse(json.toString());
}
