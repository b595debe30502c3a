export { AddressPolicy, type AddressPolicySettings } from './address-policy.ts';
export { hasBlockedPort } from './blocked-ports.ts';
export { type ClientSpan, openClientSpan } from './client-span.ts';
export { useProxies } from './current-proxies.ts';
export { AddressRefused, ResponseRefused } from './errors.ts';
export {
  type GuardedClient,
  type GuardedClientOptions,
  guardedClient,
  type OutgoingRequest,
  type OutgoingResponse,
} from './guarded-client.ts';
export type { Resolve } from './guarded-connections.ts';
export { ProxyError } from './proxy-error.ts';
export { nodeProxies, noProxies, type ProxySettings, readProxies } from './proxy-settings.ts';
export { retryAfterMs } from './retry-after.ts';
export { untimedFetch } from './untimed-fetch.ts';
