import type { IncomingHttpHeaders } from 'node:http';
import type { PeerCertificate } from 'node:tls';
import type { SecurityScheme } from '@switchyard/protocol';
import type { AuthSettings } from '../settings/identity-settings.ts';
import type { Identity } from './identity.ts';

/** What a request says about its caller. */
export interface Presented {
  readonly headers: IncomingHttpHeaders;
  /** Of the client, if the connection has verified it. */
  readonly certificate?: PeerCertificate | undefined;
}

/** Why a credential is not accepted, in words for the caller. */
export interface Rejection {
  readonly rejected: string;
  /** Names the credential for operators, where it is known and not valid any more: `key:<id>`. */
  readonly credential?: string;
  /** For the challenge (RFC 6750 3.1). */
  readonly error?: 'invalid_token';
}

type ChallengeScheme = 'Bearer' | 'Certificate';

/** One kind of credential. */
export interface Authenticator {
  start?(): Promise<void>;
  stop?(): void;
  /** Takes what can change while the gateway runs. */
  reload?(auth: AuthSettings): void;
  /** Whether the request has a credential of this kind. */
  recognises(presented: Presented): boolean;
  /** The caller, if that is known here without asking anybody, and without verifying a signature. */
  recall(presented: Presented): Identity | undefined;
  /** Whether the same credential was valid here when it was last looked at: it is no guess, whatever it is now. */
  hasVerified?(presented: Presented): boolean;
  /** Called if `recall` does not know. Rejects if it cannot be known now. */
  identify(presented: Presented): Promise<Identity | Rejection>;
  /** For WWW-Authenticate. */
  readonly scheme: ChallengeScheme;
  /** What a caller has to send, in words. */
  readonly wants: string;
  /** For agent cards (A2A 4.5): a caller needs to meet one of them. */
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
}

/** A challenge of WWW-Authenticate (RFC 9110 11.6.1); its parameters are of RFC 6750 3. Empty ones are left out. */
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
