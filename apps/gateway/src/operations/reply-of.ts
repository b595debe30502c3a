import { A2AError, parse, streamResponseSchema } from '@switchyard/protocol';
import type { FeedItem } from '@switchyard/store';

/** JSON of the plain Message with which an agent answered instead of a task: the message of the completed status. */
export function replyOf({ json }: FeedItem): string {
  const message = parse(streamResponseSchema, JSON.parse(json)).statusUpdate?.status.message;
  if (!message) throw new A2AError('InvalidAgentResponse', 'The agent answered with a message, but there is none');
  return JSON.stringify(message);
}
