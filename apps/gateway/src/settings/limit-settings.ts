import type { Rate } from '@switchyard/settings';

/** Limits of a resource of one gateway. */
export interface ResourceLimitSettings {
  readonly total: number;
  /** Unset: half of the total. */
  readonly perTenant?: number | undefined;
  /** Unset: a quarter of the total. */
  readonly perPrincipal?: number | undefined;
}

export interface ResourceSettings {
  /** Open streams. */
  readonly streams: ResourceLimitSettings;
  /** Requests whose answers are held back: streams, blocking sends, long polls. */
  readonly held: ResourceLimitSettings;
  /** Bytes of bodies that arrive or wait for their answer. */
  readonly bytes: ResourceLimitSettings;
}

export const defaultResourceSettings: ResourceSettings = {
  streams: { total: 20_000 },
  held: { total: 30_000 },
  bytes: { total: 256 * 1024 ** 2 },
};

export type RateSetting = Rate | 'off';

/** Rate limits for clients. Each gateway counts for itself. */
export interface RateSettings {
  /** All requests of a principal. */
  readonly perPrincipal: RateSetting;
  /** Requests of one kind, by the scope that they need. */
  readonly ofKind: Readonly<Record<'send' | 'read' | 'cancel' | 'push' | 'events', RateSetting>>;
  /** Events that come by one callback URL. */
  readonly perCallback: RateSetting;
  /** Requests of an address, or an IPv6 /64, except for cards. */
  readonly perAddress: RateSetting;
  /** Wrong credentials of an address. */
  readonly failedAuthPerAddress: RateSetting;
  /** Number of proxies in front of the gateway that add to `X-Forwarded-For`; 0: the header is ignored. */
  readonly proxies: number;
}

export const defaultRateSettings: RateSettings = {
  perPrincipal: 'off',
  ofKind: { send: 'off', read: 'off', cancel: 'off', push: 'off', events: 'off' },
  perCallback: { count: 60, seconds: 60 },
  perAddress: 'off',
  failedAuthPerAddress: { count: 20, seconds: 60 },
  proxies: 0,
};
