import type { IncomingHttpHeaders } from 'node:http';
import type { PeerCertificate } from 'node:tls';
import type { SecurityScheme } from '@switchyard/protocol';
import type { AuthSettings } from '../settings/identity-settings.ts';
import type { Identity } from './identity.ts';

/** The credentials of a request. */
export interface PresentedCredentials {
  readonly headers: IncomingHttpHeaders;
  /** The client's certificate, if TLS has verified it. */
  readonly certificate?: PeerCertificate | undefined;
  /** Why TLS has not verified the client's certificate; unset: it has, or there is none. */
  readonly certificateProblem?: string | undefined;
}

/** Why a credential is refused, as text for the caller. */
export interface Rejection {
  readonly rejected: string;
  /** Names the credential for operators, if it is known but no longer valid: `key:<id>`. */
  readonly credential?: string;
  /** Error code for the challenge (RFC 6750 3.1). */
  readonly error?: 'invalid_token';
}

type ChallengeScheme = 'Bearer' | 'Certificate';

/** One kind of credential. */
export interface Authenticator {
  start?(): Promise<void>;
  stop?(): void;
  /** Replaces the keys in settings. */
  reload?(auth: AuthSettings): void;
  /** Whether the request has a credential of this kind. */
  recognises(credentials: PresentedCredentials): boolean;
  /** The caller, if it is in the cache: without a request to another server, and without verifying a signature. */
  cachedIdentity(credentials: PresentedCredentials): Identity | undefined;
  /**
   * Whether the credential was valid when it was last checked here: then it is not a guess, even if it is invalid now.
   */
  hasVerified?(credentials: PresentedCredentials): boolean;
  /** Called if `cachedIdentity` finds nothing. Rejects if the credential cannot be checked now. */
  identify(credentials: PresentedCredentials): Promise<Identity | Rejection>;
  /** Challenge for WWW-Authenticate. */
  readonly scheme: ChallengeScheme;
  /** What a caller must send, as text. */
  readonly wants: string;
  /** For agent cards (A2A 4.5): a caller needs to meet one of them. */
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
}

/** A challenge for WWW-Authenticate (RFC 9110 11.6.1) with the parameters of RFC 6750 3; empty ones are left out. */
export function challenge(scheme: ChallengeScheme, parameters: { error?: string; scope?: string } = {}): string {
  const given = Object.entries({ realm: 'switchyard', ...parameters }).filter(([, value]) => value);
  return `${scheme} ${given.map(([name, value]) => `${name}="${value}"`).join(', ')}`;
}

const SCHEME = 'bearer ';

/** The token of `Authorization: Bearer`. */
export function bearerToken({ authorization }: IncomingHttpHeaders): string | undefined {
  if (authorization?.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return undefined;
  const token = authorization.slice(SCHEME.length).trimStart();
  return token === '' || token.includes(' ') ? undefined : token;
}
