import type { Principal } from '@switchyard/store';
import type { Authenticator } from './authenticator.ts';
import { defaultTenant } from './settings.ts';

const everyone: Principal = { tenant: defaultTenant, subject: 'anonymous', scopes: [] };

/** AUTH=none: everyone is the same principal. */
export const anonymous: Authenticator = {
  authenticate: () => everyone,
  challenge: '',
  securitySchemes: {},
  securityRequirements: [],
};
