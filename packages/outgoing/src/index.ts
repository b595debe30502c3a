export { AddressPolicy, type AddressPolicySettings } from './address-policy.ts';
export { AddressRefused, ResponseRefused } from './errors.ts';
export {
  type GuardedClient,
  type GuardedClientOptions,
  guardedClient,
  type OutgoingRequest,
  type OutgoingResponse,
} from './guarded-client.ts';
export type { Resolve } from './guarded-connections.ts';
export { retryAfterMs } from './retry-after.ts';
