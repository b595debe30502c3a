import type { TurnEvent } from '@switchyard/protocol';

export const working = (text: string): TurnEvent => ({
  kind: 'status',
  state: 'TASK_STATE_WORKING',
  settles: false,
  message: { messageId: text, role: 'ROLE_AGENT', parts: [{ text }] },
});

export const completed: TurnEvent = { kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true };
export const replied: TurnEvent = {
  ...completed,
  isPlainMessage: true,
  message: { messageId: 'the answer', role: 'ROLE_AGENT', parts: [{ text: '42' }] },
};
export const asked: TurnEvent = { kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', settles: true };

export const chunk = (text: string, { id = 'report', append = true, last = false } = {}): TurnEvent => ({
  kind: 'artifact',
  artifact: { artifactId: id, parts: [{ text }] },
  append,
  lastChunk: last,
});
