import { anonymous } from './anonymous.ts';
import { apiKeys } from './api-keys.ts';
import type { Authenticator } from './authenticator.ts';
import type { AuthSettings } from './settings.ts';

export function createAuthenticator(settings: AuthSettings): Authenticator {
  return settings.kind === 'none' ? anonymous : apiKeys(settings.keys);
}
