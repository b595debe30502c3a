import { A2AError } from '@switchyard/protocol';
import type { Call } from '../call/call.ts';
import { offersPush, offersStreaming } from '../cards/build-card.ts';
import type { Backend, PushBackend } from './backend.ts';

/**
 * For the four operations on push notification configs, and a config inside SendMessage: where the card says that push
 * is off, each of them MUST be refused (A2A 3.3.4). @throws {A2AError} PushNotificationNotSupported
 */
export function requirePush({ push }: Backend, { agent }: Call): PushBackend {
  if (push && offersPush(agent.card)) return push;
  throw new A2AError('PushNotificationNotSupported', 'This agent does not offer push notifications');
}

/** @throws {A2AError} UnsupportedOperation: the agent's card says that it does not stream (A2A 3.3.4) */
export function requireStreaming({ agent }: Call): void {
  if (!offersStreaming(agent.card)) throw new A2AError('UnsupportedOperation', 'This agent does not offer streaming');
}
