import { A2AError, type Message, type StreamResponse } from '@switchyard/protocol';
import type { FeedItem } from '@switchyard/store';

/** JSON of the plain Message with which an agent answered instead of a task. It names no task: its caller has none. */
export function replyOf({ json }: FeedItem): string {
  const { task, statusUpdate }: StreamResponse = JSON.parse(json);
  const message = (statusUpdate ?? task)?.status.message;
  if (!message) throw new A2AError('InvalidAgentResponse', 'The agent answered with a message, but there is none');
  const { taskId: _, ...reply }: Message = message;
  return JSON.stringify(reply);
}
