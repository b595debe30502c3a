import { isTerminal, type SendMessageRequest } from '@switchyard/protocol';
import type { ExpectedTask, FeedItem } from '@switchyard/store';
import { type Accepted, acceptMessage } from './accept-message.ts';
import { awaitItem } from './await-item.ts';
import type { Backend } from './backend.ts';
import type { Call } from './call.ts';
import { expectTask } from './expect-task.ts';
import { HeardTask } from './heard-task.ts';
import type { Reply } from './operation.ts';
import { readTask } from './read-task.ts';
import { replyOf } from './reply-of.ts';

/**
 * A2A 3.1.1. Immediate: answers the task as accepted. Blocking: waits until the agent is done with this message,
 * asks something back or releases its caller; when time is up, answers the task as it is.
 */
export async function sendMessage(backend: Backend, call: Call, request: SendMessageRequest): Promise<Reply> {
  const historyLength = request.configuration?.historyLength;
  if (isImmediate(backend, request)) {
    const { taskId, task } = await acceptMessage(backend, call, request);
    return taskReply(task ?? (await readTask(backend, call, taskId, { historyLength })).task);
  }
  using expected = expectTask(backend, call, request);
  const accepted = await acceptMessage(backend, call, request, expected);
  const heard = new HeardTask(accepted);
  const release = await awaitRelease(backend, call, { accepted, expected, heard });
  if (release?.isReply && accepted.number === 1) return { json: `{"message":${replyOf(release)}}` };
  const completed = heard.completed(historyLength);
  return taskReply(completed ?? (await readTask(backend, call, accepted.taskId, { historyLength })).task);
}

const taskReply = (task: string | Buffer | undefined): Reply => ({ json: `{"task":${task}}` });

function isImmediate({ settings }: Backend, { configuration }: SendMessageRequest): boolean {
  return configuration?.returnImmediately ?? settings.sendMode === 'immediate';
}

interface Wait {
  readonly accepted: Accepted;
  readonly expected: ExpectedTask | undefined;
  readonly heard: HeardTask;
}

function awaitRelease(
  backend: Backend,
  call: Call,
  { accepted, expected, heard }: Wait,
): Promise<FeedItem | undefined> {
  const { taskId, number, seq, isDuplicate } = accepted;
  return awaitItem(backend, call, {
    taskId,
    // The message of a retry may have been answered long ago: then the snapshot says so.
    after: isDuplicate ? undefined : seq,
    expected,
    waitMs: backend.settings.blockingWaitMs,
    until(item) {
      heard.hear(item);
      return isRelease(item, number, backend.settings.acknowledgedIsReleased);
    },
  });
}

function isRelease({ state, released }: FeedItem, number: number, acknowledgedIsReleased: boolean): boolean {
  if (isTerminal(state) || state === 'TASK_STATE_AUTH_REQUIRED') return true;
  return released >= number && (acknowledgedIsReleased || state === 'TASK_STATE_INPUT_REQUIRED');
}
