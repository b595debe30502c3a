import type { Credentials } from '@switchyard/access';
import { defaultScopes, defaultTenant } from '@switchyard/operator-api';
import { A2AError, type SecurityRequirement, type SecurityScheme } from '@switchyard/protocol';
import { type AuthSettings, defaultKeyCacheMs } from '../settings/identity-settings.ts';
import type { Emit } from '../telemetry/events.ts';
import { ApiKeys } from './api-keys.ts';
import { type Authenticator, challenge, type PresentedCredentials, type Rejection } from './authenticator.ts';
import { Certificates } from './certificates.ts';
import { Identity } from './identity.ts';
import { IssuerKeys } from './issuer.ts';
import { Jwts } from './jwt.ts';
import { StoredKeys } from './stored-keys.ts';

const everyone = new Identity({
  principal: { tenant: defaultTenant, subject: 'anonymous', scopes: [] },
  scopes: defaultScopes,
  credential: 'none',
});

/** 401 with a challenge. */
export class CredentialRefused extends A2AError {
  /** Names the credential for operators, if it is known. */
  readonly credential: string | undefined;

  constructor({ rejected, credential }: Rejection, challenges: readonly string[]) {
    super('Unauthenticated', rejected, { challenges });
    this.credential = credential;
  }
}

/**
 * Authenticates callers with any accepted kind of credential; if none is configured, everyone is the same anonymous
 * caller.
 */
export class Authentication {
  readonly #authenticators: readonly Authenticator[];
  readonly #schemes: ReadonlySet<Authenticator['scheme']>;
  /** For agent cards (A2A 4.5). */
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  /** A caller needs to meet one of them. Empty: everyone is admitted. */
  readonly securityRequirements: readonly SecurityRequirement[];

  /**
   * @param authenticators in the order in which they check a request; the first that recognises a credential decides
   */
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

  /** Replaces the keys in settings. */
  reload(auth: AuthSettings): void {
    for (const each of this.#authenticators) each.reload?.(auth);
  }

  /** The caller, if it is in the cache: without a request to another server, and without verifying a signature. */
  cachedIdentity(credentials: PresentedCredentials): Identity | undefined {
    if (this.#authenticators.length === 0) return everyone;
    return this.#authenticatorOf(credentials)?.cachedIdentity(credentials);
  }

  /**
   * Whether the credential was valid when it was last checked here: then it is not a guess, even if it is invalid now.
   */
  hasVerified(credentials: PresentedCredentials): boolean {
    return this.#authenticatorOf(credentials)?.hasVerified?.(credentials) ?? false;
  }

  /** Call it if `cachedIdentity` finds nothing. @throws {A2AError} CredentialRefused; Unavailable */
  async identify(credentials: PresentedCredentials): Promise<Identity> {
    const authenticator = this.#authenticatorOf(credentials);
    const found = await (authenticator?.identify(credentials) ?? { rejected: this.#wanted(credentials) });
    if (found instanceof Identity) return found;
    throw new CredentialRefused(found, this.#challengesFor(found));
  }

  #authenticatorOf(credentials: PresentedCredentials): Authenticator | undefined {
    return this.#authenticators.find((authenticator) => authenticator.recognises(credentials));
  }

  #wanted({ certificateProblem }: PresentedCredentials): string {
    const wanted = `Authentication is required: ${this.#authenticators.map(({ wants }) => wants).join(', or ')}`;
    if (certificateProblem === undefined || !this.#schemes.has('Certificate')) return wanted;
    return `${wanted}. The certificate that was sent is refused: ${certificateProblem}`;
  }

  #challengesFor({ error }: Rejection): string[] {
    return [...this.#schemes].map((scheme) => challenge(scheme, scheme === 'Bearer' && error ? { error } : {}));
  }
}

export interface AuthenticationDependencies {
  readonly credentials: Pick<Credentials, 'verify' | 'find' | 'onChange'>;
  readonly emit: Emit;
}

/** A credential in the request takes precedence over the certificate, which belongs to the whole connection. */
export function configuredAuthentication(auth: AuthSettings, { credentials, emit }: AuthenticationDependencies) {
  const { keys, keyCacheMs = defaultKeyCacheMs, jwt, certificates } = auth;
  const authenticators: readonly (Authenticator | undefined)[] = [
    jwt && new Jwts(jwt, new IssuerKeys(jwt, emit)),
    keys && new ApiKeys(keys, { stored: new StoredKeys(credentials, keyCacheMs), takesTokens: jwt !== undefined }),
    certificates && new Certificates(certificates),
  ];
  return new Authentication(authenticators.filter((each) => each !== undefined));
}
