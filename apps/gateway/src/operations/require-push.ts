import { A2AError } from '@switchyard/protocol';
import { offersPush } from '../cards/build-card.ts';
import type { Backend, PushBackend } from './backend.ts';
import type { Call } from './call.ts';

/**
 * For the four operations on push notification configs, and a config inside SendMessage: where the card says that push is
 * off, each of them MUST be refused (A2A 3.3.4). @throws {A2AError} PushNotificationNotSupported
 */
export function requirePush({ push }: Backend, { agent }: Call): PushBackend {
  if (push && offersPush(agent.card)) return push;
  throw new A2AError('PushNotificationNotSupported', 'This agent does not offer push notifications');
}
