import type { Credentials } from '@switchyard/store';
import { type AuthSettings, defaultKeyCacheMs } from '../settings/identity-settings.ts';
import type { Emit } from '../telemetry/events.ts';
import { ApiKeys } from './api-keys.ts';
import { Authentication } from './authentication.ts';
import type { Authenticator } from './authenticator.ts';
import { Certificates } from './certificates.ts';
import { IssuerKeys } from './issuer-keys.ts';
import { Jwts } from './jwt.ts';
import { StoredKeys } from './stored-keys.ts';

export interface AuthenticationParts {
  readonly credentials: Credentials;
  readonly emit: Emit;
}

/** What a request says of itself comes before the certificate, which speaks for all requests of its connection. */
export function configuredAuthentication(auth: AuthSettings, { credentials, emit }: AuthenticationParts) {
  const { keys, keyCacheMs = defaultKeyCacheMs, jwt, certificates } = auth;
  const authenticators: readonly (Authenticator | undefined)[] = [
    jwt && new Jwts(jwt, new IssuerKeys(jwt, emit)),
    keys && new ApiKeys(keys, { stored: new StoredKeys(credentials, keyCacheMs), takesTokens: jwt !== undefined }),
    certificates && new Certificates(certificates),
  ];
  return new Authentication(authenticators.filter((each) => each !== undefined));
}
