import { randomUUID } from 'node:crypto';
import type { Message, TurnEvent } from '@switchyard/protocol';

/** The events that agents publish in tests. */
export const working = (text?: string): TurnEvent => ({
  kind: 'status',
  state: 'TASK_STATE_WORKING',
  settles: false,
  ...(text !== undefined && { message: agentMessage(text) }),
});

export const acknowledged = (text: string): TurnEvent => ({
  kind: 'status',
  state: 'TASK_STATE_WORKING',
  settles: false,
  answersCaller: true,
  message: agentMessage(text),
});

export const completed = (text = 'done'): TurnEvent => ({
  kind: 'status',
  state: 'TASK_STATE_COMPLETED',
  settles: true,
  message: agentMessage(text),
});

export const replied = (text: string): TurnEvent => ({
  kind: 'status',
  state: 'TASK_STATE_COMPLETED',
  settles: true,
  isPlainMessage: true,
  message: agentMessage(text),
});

export const asked = (text: string): TurnEvent => ({
  kind: 'status',
  state: 'TASK_STATE_INPUT_REQUIRED',
  settles: true,
  message: agentMessage(text),
});

export const authRequired: TurnEvent = { kind: 'status', state: 'TASK_STATE_AUTH_REQUIRED', settles: false };

export const canceled: TurnEvent = { kind: 'status', state: 'TASK_STATE_CANCELED', settles: true };

export const chunk = (text: string, { append = true } = {}): TurnEvent => ({
  kind: 'artifact',
  artifact: { artifactId: 'report', name: 'Report', parts: [{ text }] },
  append,
  lastChunk: false,
});

function agentMessage(text: string): Message {
  return { messageId: randomUUID(), role: 'ROLE_AGENT', parts: [{ text }] };
}
