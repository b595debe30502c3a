import type { IncomingHttpHeaders } from 'node:http';
import { apiKeyParts, secretHash } from '@switchyard/access';
import type { ApiKey, AuthSettings } from '../settings/identity-settings.ts';
import { type Authenticator, bearerToken, type PresentedCredentials, type Rejection } from './authenticator.ts';
import { type Identity, identityOfKey } from './identity.ts';
import type { StoredKeys } from './stored-keys.ts';

interface ApiKeyOptions {
  readonly stored?: StoredKeys;
  readonly takesTokens?: boolean;
}

/** AUTH=api-key: the key in `X-API-Key` or as a bearer token, from settings or Redis. */
export class ApiKeys implements Authenticator {
  readonly scheme = 'Bearer';
  readonly wants = 'an API key as X-API-Key or as a bearer token';
  readonly securitySchemes = {
    apiKey: { apiKeySecurityScheme: { location: 'header', name: 'X-API-Key' } },
    bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } },
  } as const;
  /** By digest, so that comparing a guess reveals nothing about a key. */
  #environment: ReadonlyMap<string, Identity>;
  readonly #stored: StoredKeys | undefined;
  readonly #takesTokens: boolean;

  /**
   * @param environment keys in settings
   * @param options `stored`: keys in Redis; `takesTokens`: tokens are accepted, too, so a bearer token may be either
   */
  constructor(environment: readonly ApiKey[], { stored, takesTokens = false }: ApiKeyOptions = {}) {
    this.#environment = new Map(environment.map((key) => [secretHash(key.key), identityOf(key)]));
    this.#stored = stored;
    this.#takesTokens = takesTokens;
  }

  async start(): Promise<void> {
    await this.#stored?.start();
  }

  stop(): void {
    this.#stored?.stop();
  }

  /** Replaces the keys in settings. Streams continue unless their key was removed or has other rights. */
  reload({ keys: environment = [] }: Pick<AuthSettings, 'keys'>): void {
    const before = this.#environment;
    const kept = new Map(environment.map((key) => [secretHash(key.key), keptOrNew(before, key)]));
    this.#environment = kept;
    for (const [digest, identity] of before) if (kept.get(digest) !== identity) identity.revoke();
  }

  recognises({ headers }: PresentedCredentials): boolean {
    return keyIn(headers) !== undefined;
  }

  cachedIdentity({ headers }: PresentedCredentials): Identity | undefined {
    const key = keyIn(headers) ?? '';
    const parts = this.#stored && apiKeyParts(key);
    return (parts && this.#stored?.cachedIdentity(parts)) ?? this.#environment.get(secretHash(key));
  }

  hasVerified({ headers }: PresentedCredentials): boolean {
    const parts = apiKeyParts(keyIn(headers) ?? '');
    return parts !== undefined && (this.#stored?.hasVerified(parts) ?? false);
  }

  async identify({ headers }: PresentedCredentials): Promise<Identity | Rejection> {
    const parts = apiKeyParts(keyIn(headers) ?? '');
    const found = parts && this.#stored?.identify(parts);
    return found ?? { rejected: this.#problemOf(headers) };
  }

  #problemOf(headers: IncomingHttpHeaders): string {
    const isPerhapsToken = this.#takesTokens && keyIn(headers) === bearerToken(headers);
    return isPerhapsToken
      ? 'The bearer token is neither a JSON Web Token nor a valid API key'
      : 'The API key is not valid';
  }
}

function keptOrNew(before: ReadonlyMap<string, Identity>, key: ApiKey): Identity {
  const [known, identity] = [before.get(secretHash(key.key)), identityOf(key)];
  return known && JSON.stringify(known) === JSON.stringify(identity) ? known : identity;
}

function identityOf({ tenant, subject, scopes }: ApiKey): Identity {
  return identityOfKey({ tenant, subject, scopes }, { credential: 'key:environment' });
}

function keyIn(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['x-api-key'];
  return typeof key === 'string' && key !== '' ? key : bearerToken(headers);
}
