import type { Message, Metadata } from '@switchyard/protocol';
import type { CallReply } from './call-reply.ts';

/** The task of another agent that waits for the client's answer. */
export interface WaitingCall {
  readonly agent: string;
  readonly taskId: string;
}

/** Metadata key of the message that asks the client. */
const key = 'switchyard.waitingCall';

/** Metadata of a question that comes from another agent. */
export function waitingMetadata({ agent, taskId }: CallReply): Metadata {
  return { [key]: { agent, taskId } };
}

/** The waiting task that the client answers, as named in the metadata of the agent's last message. */
export function waitingCall(history: readonly Message[]): WaitingCall | undefined {
  const asked = history.findLast(({ role }) => role === 'ROLE_AGENT')?.metadata?.[key];
  return isWaitingCall(asked) ? asked : undefined;
}

function isWaitingCall(value: unknown): value is WaitingCall {
  if (typeof value !== 'object' || value === null || !('agent' in value) || !('taskId' in value)) return false;
  return typeof value.agent === 'string' && typeof value.taskId === 'string';
}
