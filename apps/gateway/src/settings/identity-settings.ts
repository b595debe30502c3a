import { isLoopback } from '@switchyard/settings';

/** How callers authenticate. With none of the kinds, everyone is one anonymous principal. */
export interface AuthSettings {
  /** Without authentication, listens beyond loopback: anyone who reaches the port can read and cancel all tasks. */
  readonly allowAnonymous?: boolean;
  /** API keys of the environment; those in Redis count besides. Unset: no API keys. */
  readonly keys?: readonly ApiKey[] | undefined;
  /** How long a key of Redis counts without being looked up again: a message about its revocation may be lost. */
  readonly keyCacheMs?: number;
  readonly jwt?: JwtSettings | undefined;
  readonly certificates?: CertificateSettings | undefined;
}

/** A key and its principal. */
export interface ApiKey {
  readonly key: string;
  readonly subject: string;
  readonly tenant: string;
  /** Empty: all but `admin`. */
  readonly scopes: readonly string[];
}

export const defaultKeyCacheMs = 5_000;

export interface JwtSettings {
  readonly issuer: string;
  /** A token must be for one of them. */
  readonly audience: readonly string[];
  /** Where the issuer publishes its keys; unset: as its OpenID configuration says. */
  readonly jwksUrl?: string | undefined;
  readonly algorithms: readonly string[];
  /** By how much clocks may differ. */
  readonly clockSkewSeconds: number;
  /** Names of claims. Scopes may be in several. */
  readonly claims: {
    readonly tenant: string;
    readonly subject: string;
    readonly scopes: readonly string[];
    readonly agents: string;
  };
  /** Of tokens without one; unset: they are refused. */
  readonly defaultTenant?: string | undefined;
  /** Scopes without it are not ours; of the others it is taken off. */
  readonly scopePrefix: string;
}

export interface CertificateSettings {
  /** The name of the certificate that is the subject. */
  readonly subjectFrom: 'san-uri' | 'san-dns' | 'cn';
  /** The organization of its subject, or the default tenant. */
  readonly tenantFrom: 'o' | 'default';
  readonly scopes: readonly string[];
}

/** Whether callers have to say who they are. */
export function isAuthenticated({ keys, jwt, certificates }: AuthSettings): boolean {
  return keys !== undefined || jwt !== undefined || certificates !== undefined;
}

/**
 * Without authentication a gateway listens on loopback only, unless ALLOW_ANONYMOUS is set.
 * @returns the problem and its remedy; undefined if there is none
 */
export function anonymousAccessProblem({
  host,
  auth,
}: {
  readonly host: string;
  readonly auth: AuthSettings;
}): string | undefined {
  if (isAuthenticated(auth) || auth.allowAnonymous || isLoopback(host)) return undefined;
  return (
    `with AUTH=none everyone who reaches ${host} could read and cancel every task: ` +
    'set AUTH, or HOST=127.0.0.1, or ALLOW_ANONYMOUS=true if that is what you want'
  );
}
