export { AddressPolicy, type AddressPolicySettings } from './address-policy.ts';
export {
  type Answer,
  type GuardedClient,
  type GuardedClientOptions,
  guardedClient,
  type OutgoingRequest,
} from './guarded-client.ts';
export type { Resolve } from './guarded-connections.ts';
export { AddressRefused, AnswerRefused } from './refusals.ts';
export { retryAfterMs } from './retry-after.ts';
