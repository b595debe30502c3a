import { readConfig } from '../../src/config.ts';
import type { AuthSettings } from '../../src/index.ts';

/** The settings of AUTH=jwt for tokens of an issuer, as the environment gives them. */
export function jwtSettings(issuer: string, more: Readonly<Record<string, string>> = {}): AuthSettings['jwt'] {
  return readConfig({ AUTH: 'jwt', JWT_ISSUER: issuer, JWT_AUDIENCE: 'switchyard', ...more }).gateway.auth.jwt;
}
