import { randomUUID } from 'node:crypto';
import type { Message, Task } from '@switchyard/protocol';

/** A user's message: for a task if one is given, else for a new conversation. */
export function userMessage(text: string, task?: Pick<Task, 'id' | 'contextId'>): Message {
  const ids = task && { taskId: task.id, ...(task.contextId !== undefined && { contextId: task.contextId }) };
  return { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...ids };
}

export function textOf({ parts }: Pick<Message, 'parts'> = { parts: [] }): string {
  return parts.map(({ text }) => text ?? '').join('');
}

/** A conversation as lines of text: `user: I want a pizza`. */
export function transcript({ history = [] }: Task): string[] {
  return history.map((message) => `${message.role === 'ROLE_USER' ? 'user' : 'agent'}: ${textOf(message)}`);
}
