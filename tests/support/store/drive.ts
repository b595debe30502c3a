import { randomUUID } from 'node:crypto';
import type { Message, TurnEvent } from '@switchyard/protocol';
import type { Acceptance, OpenTurn, Scope, Store } from '@switchyard/store';

export function userMessage(text = 'hello', more: Partial<Message> = {}): Message {
  return { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...more };
}

export function agentMessage(text: string, messageId: string = randomUUID()): Message {
  return { messageId, role: 'ROLE_AGENT', parts: [{ text }] };
}

/** The event that ends a task whose attempts are spent. */
export function spent(deadLetterReason: string): TurnEvent {
  return { kind: 'status', state: 'TASK_STATE_FAILED', settles: true, deadLetterReason };
}

export type Accepted = Acceptance & { verdict: 'accepted' };

/** Accepts a message; any other verdict fails the test. */
export async function accepted(store: Store, scope: Scope, message: Message = userMessage()): Promise<Accepted> {
  const acceptance = await store.tasks.accept(scope, { message });
  if (acceptance.verdict !== 'accepted') throw new Error(`the message was refused: ${acceptance.verdict}`);
  return acceptance;
}

const ignore = { onCancel: (): void => undefined, onFenced: (): void => undefined };

/** Begins a turn like a worker that has taken the job of this number. */
export async function begun(
  store: Store,
  taskId: string,
  { job = 1, started = 1, turnsBefore = 0, hooks = ignore, token = `${randomUUID()}` } = {},
): Promise<OpenTurn> {
  const turn = await store.turns.begin({ taskId, job, started, token }, turnsBefore, hooks);
  if (typeof turn === 'string') throw new Error(`no turn began: ${turn}`);
  return turn;
}
