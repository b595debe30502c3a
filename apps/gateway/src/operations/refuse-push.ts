import { A2AError } from '@switchyard/protocol';

/**
 * The four operations on push notification configs, and a config inside SendMessage: cards say that push is off,
 * and then each of them MUST be refused (A2A 3.3.4).
 */
export async function refusePush(): Promise<never> {
  throw new A2AError('PushNotificationNotSupported', 'This agent does not offer push notifications');
}
