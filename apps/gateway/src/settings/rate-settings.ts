import type { Rate } from '@switchyard/settings';

export type RateSetting = Rate | 'off';

/** How often clients may ask. Each gateway counts for itself. */
export interface RateSettings {
  /** All requests of a principal. */
  readonly perPrincipal: RateSetting;
  /** Those of one kind, by the scope that they take. */
  readonly ofKind: Readonly<Record<'send' | 'read' | 'cancel' | 'push', RateSetting>>;
  /** Requests of an address, or a /64 of IPv6, that ask for more than a card. */
  readonly perAddress: RateSetting;
  /** Wrong credentials of an address. */
  readonly failedAuthPerAddress: RateSetting;
  /** Proxies before the gateway that add to `X-Forwarded-For`; 0: the header is not believed. */
  readonly proxies: number;
}

export const defaultRateSettings: RateSettings = {
  perPrincipal: 'off',
  ofKind: { send: 'off', read: 'off', cancel: 'off', push: 'off' },
  perAddress: 'off',
  failedAuthPerAddress: { count: 20, seconds: 60 },
  proxies: 0,
};
