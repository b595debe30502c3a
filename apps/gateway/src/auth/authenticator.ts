import type { IncomingHttpHeaders } from 'node:http';
import type { Principal, SecurityRequirement, SecurityScheme } from '@switchyard/protocol';
import { type AuthSettings, defaultTenant } from '../settings/gateway-settings.ts';

/** A way to authenticate callers. */
export interface Authenticator {
  /** @throws {A2AError} Unauthenticated */
  authenticate(headers: IncomingHttpHeaders): Principal | Promise<Principal>;
  /** Value of WWW-Authenticate in a 401 (RFC 9110 11.6.1). */
  readonly challenge: string;
  /** For agent cards (A2A 4.5). */
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  /** A caller needs to meet one of them. */
  readonly securityRequirements: readonly SecurityRequirement[];
}

const everyone: Principal = { tenant: defaultTenant, subject: 'anonymous', scopes: [] };

/** AUTH=none: everyone is the same principal. */
export const anonymous: Authenticator = {
  authenticate: () => everyone,
  challenge: '',
  securitySchemes: {},
  securityRequirements: [],
};

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
  if (auth.kind !== 'none' || auth.allowAnonymous || isLoopback(host)) return undefined;
  return (
    `with AUTH=none everyone who reaches ${host} could read and cancel every task: ` +
    'set AUTH=api-key, or HOST=127.0.0.1, or ALLOW_ANONYMOUS=true if that is what you want'
  );
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
