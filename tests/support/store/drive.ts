import { randomUUID } from 'node:crypto';
import type { Message, TurnEvent } from '@switchyard/protocol';
import type { Acceptance, Beginning, GivenStart, OpenTurn, Scope, Store, TurnHooks } from '@switchyard/store';

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

/** Begins a turn like a worker that has taken a job of the task: by default its first job, for the first time. */
export function beginTurn(
  store: Store,
  start: Pick<GivenStart, 'taskId'> & Partial<GivenStart>,
  hooks: TurnHooks = ignore,
): Promise<Beginning> {
  const first = { queue: 'echo', job: 1, started: 1, token: randomUUID() };
  return store.turns.jobOf({ ...first, ...start }).begin(hooks);
}

/** As `beginTurn`; any verdict fails the test. */
export async function begun(
  store: Store,
  taskId: string,
  { hooks = ignore, ...start }: Partial<GivenStart> & { readonly hooks?: TurnHooks } = {},
): Promise<OpenTurn> {
  const turn = await beginTurn(store, { ...start, taskId }, hooks);
  if (typeof turn === 'string') throw new Error(`no turn began: ${turn}`);
  return turn;
}
