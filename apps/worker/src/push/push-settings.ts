import type { AddressPolicySettings } from '@switchyard/outgoing';
import type { SigningKey } from '@switchyard/settings';

/** How push notifications are delivered. Times in milliseconds. */
export interface PushSettings {
  /** Webhooks that this process serves at the same time. */
  readonly concurrency: number;
  /** Longest time for one delivery, from the DNS lookup to the end of the answer. */
  readonly timeoutMs: number;
  /** Most attempts at one delivery; then the webhook is given up. */
  readonly maxAttempts: number;
  /** Longest time since the first attempt at a delivery; then the webhook is given up. */
  readonly maxAgeMs: number;
  /** Pause before the second attempt; doubled before each further one, up to `maxBackoffMs`. */
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
  /** False: status updates and whole artifacts only. */
  readonly chunks: boolean;
  /** How often webhooks with undelivered events are claimed, in case a notification was lost. */
  readonly claimEveryMs: number;
  /** Which addresses may be called. */
  readonly policy: AddressPolicySettings;
  /** Signs each delivery; unset: deliveries are not signed. */
  readonly signingKey?: SigningKey | undefined;
}

export const defaultPushSettings: PushSettings = {
  concurrency: 64,
  timeoutMs: 15_000,
  maxAttempts: 100,
  maxAgeMs: 24 * 3_600_000,
  backoffMs: 1_000,
  maxBackoffMs: 15 * 60_000,
  chunks: true,
  claimEveryMs: 30_000,
  policy: { allowHttp: false, allowHosts: [] },
};
