import { Task as SdkTask, SendMessageRequest } from '@a2a-js/sdk';
import { RequestContext, ServerCallContext } from '@a2a-js/sdk/server';
import type { Turn } from '@switchyard/agent';
import type { Message, Task } from '@switchyard/protocol';

/** The SDK's request context of a turn. */
export async function requestContext(turn: Turn): Promise<RequestContext> {
  const { task, metadata, acceptedOutputModes } = turn;
  const { id: taskId, contextId = '' } = task;
  // Code for the SDK has no credentials for files of this deployment.
  const message = { ...turn.message, parts: await turn.inlineFiles(turn.message.parts) };
  const request = SendMessageRequest.fromJSON({
    tenant: turn.principal.tenant,
    message: { ...message, taskId, contextId },
    configuration: { acceptedOutputModes },
    metadata,
  });
  const earlier = earlierTask(turn, message);
  const references = await referencedTasks(turn);
  return new RequestContext(
    request,
    taskId,
    contextId,
    callContext(turn),
    earlier && SdkTask.fromJSON(earlier),
    references,
  );
}

/** The tasks that the message refers to, as far as they are in the same context. */
async function referencedTasks(turn: Turn): Promise<SdkTask[] | undefined> {
  const { referenceTaskIds = [] } = turn.message;
  if (referenceTaskIds.length === 0) return undefined;
  const tasks = await turn.otherTasks({ limit: 100, historyLength: 100 });
  return tasks.filter(({ task }) => referenceTaskIds.includes(task.id)).map(({ task }) => SdkTask.fromJSON(task));
}

function callContext({ principal, extensions }: Turn): ServerCallContext {
  const { tenant, subject } = principal;
  return new ServerCallContext({
    requestedExtensions: [...extensions],
    user: { isAuthenticated: subject !== 'anonymous', userName: subject },
    tenant,
    requestedVersion: '1.0',
  });
}

/**
 * The task as the SDK would load it: undefined for its first message, also in a retry; otherwise with this message as
 * the last one in its history, and still with the question that the message answers.
 */
function earlierTask({ task, history }: Turn, message: Message): Task | undefined {
  const at = history.findIndex(({ messageId }) => messageId === message.messageId);
  const isFirst = !history.slice(0, Math.max(at, 0)).some(({ role }) => role === 'ROLE_USER');
  if (isFirst) return undefined;
  // Later messages of the client have turns of their own.
  const earlier = [...history.slice(0, at), ...history.slice(at + 1).filter(isAgents)];
  const question = earlier.findLast(isAgents);
  const status = { state: 'TASK_STATE_INPUT_REQUIRED' as const, ...(question && { message: question }) };
  return { ...task, status, history: [...earlier, message] };
}

function isAgents({ role }: Message): boolean {
  return role === 'ROLE_AGENT';
}
