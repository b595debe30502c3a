import { randomUUID } from 'node:crypto';
import type { Message, Task } from '@switchyard/protocol';

/** A message of a user: in a task if one is given, else a new conversation. */
export function userMessage(text: string, task?: Pick<Task, 'id' | 'contextId'>): Message {
  const ids = task && { taskId: task.id, ...(task.contextId !== undefined && { contextId: task.contextId }) };
  return { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...ids };
}

/** The text of a message. */
export function textOf({ parts }: Pick<Message, 'parts'> = { parts: [] }): string {
  return parts.map(({ text }) => text ?? '').join('');
}

/** A conversation as people would write it down: `user: I want a pizza`. */
export function transcript({ history = [] }: Task): string[] {
  return history.map((message) => `${message.role === 'ROLE_USER' ? 'user' : 'agent'}: ${textOf(message)}`);
}
