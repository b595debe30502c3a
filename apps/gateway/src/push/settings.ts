import type { PublicJwk } from '@switchyard/settings';
import type { WebhookPolicySettings } from '@switchyard/store';

/** What a gateway has to know of push notifications; the workers deliver them. */
export interface PushSettings {
  /** Which addresses webhooks may have. */
  readonly policy: WebhookPolicySettings;
  /** Of the keys with which the workers sign deliveries. */
  readonly publicKeys: readonly PublicJwk[];
}

export const defaultPushSettings: PushSettings = { policy: { allowHttp: false, allowHosts: [] }, publicKeys: [] };
