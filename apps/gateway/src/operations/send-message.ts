import { isTerminal, type SendMessageRequest } from '@switchyard/protocol';
import type { FeedItem } from '@switchyard/store';
import { type Accepted, acceptMessage } from './accept-message.ts';
import { awaitItem } from './await-item.ts';
import type { Backend } from './backend.ts';
import type { Call } from './call.ts';
import type { Reply } from './operation.ts';
import { readTask } from './read-task.ts';
import { replyOf } from './reply-of.ts';

/**
 * A2A 3.1.1. Immediate: answers the task as accepted. Blocking: waits until the agent is done with this message,
 * asks something back or releases its caller; when time is up, answers the task as it is.
 */
export async function sendMessage(backend: Backend, call: Call, request: SendMessageRequest): Promise<Reply> {
  const accepted = await acceptMessage(backend, call, request);
  if (!isImmediate(backend, request)) {
    const release = await awaitRelease(backend, call, accepted);
    if (release?.isReply && accepted.number === 1) return { json: `{"message":${replyOf(release)}}` };
  } else if (accepted.task !== undefined) {
    return { json: `{"task":${accepted.task}}` };
  }
  const { task } = await readTask(backend, call, accepted.taskId, {
    historyLength: request.configuration?.historyLength,
  });
  return { json: `{"task":${task}}` };
}

function isImmediate({ settings }: Backend, { configuration }: SendMessageRequest): boolean {
  return configuration?.returnImmediately ?? settings.sendMode === 'immediate';
}

function awaitRelease(backend: Backend, call: Call, accepted: Accepted): Promise<FeedItem | undefined> {
  const { taskId, number, seq, isDuplicate } = accepted;
  return awaitItem(backend, call, {
    taskId,
    // The message of a retry may have been answered long ago: then the snapshot says so.
    after: isDuplicate ? undefined : seq,
    waitMs: backend.settings.blockingWaitMs,
    until: (item) => item.released >= number || isTerminal(item.state) || item.state === 'TASK_STATE_AUTH_REQUIRED',
  });
}
