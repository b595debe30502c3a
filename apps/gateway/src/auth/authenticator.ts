import type { IncomingHttpHeaders } from 'node:http';
import type { SecurityRequirement, SecurityScheme } from '@switchyard/protocol';
import type { Principal } from '@switchyard/store';
import { defaultTenant } from '../settings/gateway-settings.ts';

/** One way to tell callers apart. */
export interface Authenticator {
  /** @throws {A2AError} Unauthenticated */
  authenticate(headers: IncomingHttpHeaders): Principal | Promise<Principal>;
  /** Value of WWW-Authenticate in a 401 (RFC 9110 11.6.1). */
  readonly challenge: string;
  /** What agent cards say about it (A2A 4.5). */
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  /** Any one of them lets a caller in. */
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
