import type { WebhookPolicySettings } from '@switchyard/store';
import type { PublicJwk } from '../keys/signing-key.ts';

/** What a gateway has to know of push notifications; the workers deliver them. */
export interface PushSettings {
  /** Which addresses webhooks may have. */
  readonly policy: WebhookPolicySettings;
  /** Of the keys with which the workers sign deliveries. */
  readonly publicKeys: readonly PublicJwk[];
}

export const defaultPushSettings: PushSettings = { policy: { allowHttp: false, allowHosts: [] }, publicKeys: [] };
