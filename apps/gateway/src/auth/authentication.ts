import { defaultTenant, usualScopes } from '@switchyard/operator-api';
import { A2AError, type SecurityRequirement, type SecurityScheme } from '@switchyard/protocol';
import type { Credentials } from '@switchyard/store';
import { type AuthSettings, defaultKeyCacheMs } from '../settings/identity-settings.ts';
import type { Emit } from '../telemetry/events.ts';
import { ApiKeys } from './api-keys.ts';
import { type Authenticator, challenge, type Presented, type Rejection } from './authenticator.ts';
import { Certificates } from './certificates.ts';
import { Identity } from './identity.ts';
import { IssuerKeys } from './issuer.ts';
import { Jwts } from './jwt.ts';
import { StoredKeys } from './stored-keys.ts';

const everyone = new Identity({
  principal: { tenant: defaultTenant, subject: 'anonymous', scopes: [] },
  scopes: usualScopes,
  credential: 'none',
});

/** 401, with a challenge. */
export class CredentialRefused extends A2AError {
  /** Names the credential for operators, where it is known. */
  readonly credential: string | undefined;

  constructor({ rejected, credential }: Rejection, challenges: readonly string[]) {
    super('Unauthenticated', rejected, { challenges });
    this.credential = credential;
  }
}

/** Who callers are: by any of the credentials that are switched on, or everyone alike if there are none. */
export class Authentication {
  readonly #authenticators: readonly Authenticator[];
  readonly #schemes: ReadonlySet<Authenticator['scheme']>;
  /** For agent cards (A2A 4.5). */
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  /** A caller needs to meet one of them. None: everyone is let in. */
  readonly securityRequirements: readonly SecurityRequirement[];

  /** @param authenticators in the order in which they look at a request; the first that recognises it decides */
  constructor(authenticators: readonly Authenticator[]) {
    this.#authenticators = authenticators;
    this.#schemes = new Set(authenticators.map(({ scheme }) => scheme));
    this.securitySchemes = Object.assign({}, ...authenticators.map(({ securitySchemes }) => securitySchemes));
    this.securityRequirements = Object.keys(this.securitySchemes).map((name) => ({
      schemes: { [name]: { list: [] } },
    }));
  }

  async start(): Promise<void> {
    await Promise.all(this.#authenticators.map((each) => each.start?.()));
  }

  stop(): void {
    for (const each of this.#authenticators) each.stop?.();
  }

  /** Takes what can change while the gateway runs: the keys of the environment. */
  reload(auth: AuthSettings): void {
    for (const each of this.#authenticators) each.reload?.(auth);
  }

  /** The caller, if it is known here without asking anybody, and without verifying a signature. */
  recall(presented: Presented): Identity | undefined {
    if (this.#authenticators.length === 0) return everyone;
    return this.#authenticatorOf(presented)?.recall(presented);
  }

  /** Whether the credential was valid here when it was last looked at: it is no guess, whatever it is now. */
  hasVerified(presented: Presented): boolean {
    return this.#authenticatorOf(presented)?.hasVerified?.(presented) ?? false;
  }

  /** Call it if `recall` does not know. @throws {A2AError} CredentialRefused; Unavailable */
  async identify(presented: Presented): Promise<Identity> {
    const authenticator = this.#authenticatorOf(presented);
    const found = await (authenticator?.identify(presented) ?? { rejected: this.#wanted() });
    if (found instanceof Identity) return found;
    throw new CredentialRefused(found, this.#challengesFor(found));
  }

  #authenticatorOf(presented: Presented): Authenticator | undefined {
    return this.#authenticators.find((authenticator) => authenticator.recognises(presented));
  }

  #wanted(): string {
    return `Authentication is required: ${this.#authenticators.map(({ wants }) => wants).join(', or ')}`;
  }

  #challengesFor({ error }: Rejection): string[] {
    return [...this.#schemes].map((scheme) => challenge(scheme, scheme === 'Bearer' && error ? { error } : {}));
  }
}

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
