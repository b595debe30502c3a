import type { CallOutcome } from '@switchyard/agent';
import { type Message, parse, type StreamResponse, streamResponseSchema, type Task } from '@switchyard/protocol';
import type { FeedItem, Scope, Tasks } from '@switchyard/store';

/** The task as it is, without its history, and the plain message that it was answered with, if `last` is that. */
export async function readOutcome(
  tasks: Pick<Tasks, 'read'>,
  scope: Scope,
  { taskId, last }: { readonly taskId: string; readonly last?: FeedItem },
): Promise<CallOutcome | 'missing'> {
  const reading = await tasks.read(scope, taskId, { historyLength: 0 });
  if (reading?.task === undefined) return 'missing';
  const task: Task = JSON.parse(reading.task.toString());
  const reply = last?.isReply ? messageOf(last) : undefined;
  return { task, ...(reply && { reply }) };
}

function messageOf({ json }: FeedItem): Message | undefined {
  const event: StreamResponse = parse(streamResponseSchema, JSON.parse(json));
  return event.statusUpdate?.status.message;
}
