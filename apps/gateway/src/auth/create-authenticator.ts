import type { AuthSettings } from '../settings/gateway-settings.ts';
import { apiKeys } from './api-keys.ts';
import { type Authenticator, anonymous } from './authenticator.ts';

export function createAuthenticator(settings: AuthSettings): Authenticator {
  return settings.kind === 'none' ? anonymous : apiKeys(settings.keys);
}
