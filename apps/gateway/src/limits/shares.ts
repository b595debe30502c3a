import { type AuthSettings, isAuthenticated } from '../settings/identity-settings.ts';
import type { ShareSettings, SharesSettings } from '../settings/share-settings.ts';
import { Share, type ShareLimits } from './share.ts';

/** What requests hold while they last. */
export interface Shares {
  /** Open streams. */
  readonly streams: Share;
  /** Requests whose answers are held back: streams, blocking sends, long polls. */
  readonly held: Share;
  /** Bytes of bodies until they are answered, or their stream begins. */
  readonly bytes: Share;
}

export function createShares(settings: SharesSettings, auth: AuthSettings): Shares {
  const hasPrincipals = isAuthenticated(auth);
  const limits = (share: ShareSettings): ShareLimits => limitsOf(share, hasPrincipals);
  return {
    streams: new Share('streams', limits(settings.streams)),
    held: new Share('requests', limits(settings.held)),
    bytes: new Share('bytes of requests', limits(settings.bytes)),
  };
}

/** Four busy principals, or two busy tenants, fill it; where nobody is authenticated there is one principal. */
function limitsOf({ total, perTenant, perPrincipal }: ShareSettings, hasPrincipals: boolean): ShareLimits {
  return {
    total,
    perTenant: perTenant ?? (hasPrincipals ? Math.ceil(total / 2) : total),
    perPrincipal: perPrincipal ?? (hasPrincipals ? Math.ceil(total / 4) : total),
  };
}
