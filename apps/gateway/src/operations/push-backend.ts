import { AddressPolicy } from '@switchyard/outgoing';
import type { Webhooks } from '@switchyard/store';
import type { GatewaySettings } from '../settings/gateway-settings.ts';
import { isAuthenticated } from '../settings/identity-settings.ts';
import type { Emit } from '../telemetry/events.ts';
import { WebhookConsent } from './webhook-consent.ts';

/** The part of the store's webhooks that operations use. */
type WebhookStore = Pick<Webhooks, 'create' | 'get' | 'list' | 'delete'>;

/** What the operations on push notification configs need. */
export interface PushBackend {
  readonly webhooks: WebhookStore;
  readonly policy: Pick<AddressPolicy, 'problemOf'>;
  /** Otherwise webhooks with a token or credentials are refused, as these would be stored in clear. */
  readonly takesSecrets: boolean;
  /** Unset: webhooks are not asked whether they want to be called. */
  readonly consent: WebhookConsent | undefined;
  /** Call it before a config is stored: logs once that credentials are stored in clear. */
  readonly warnIfClear: () => void;
}

interface Parts {
  readonly webhooks: WebhookStore & Pick<Webhooks, 'areEncrypted'>;
  readonly emit: Emit;
}

/** Undefined: push notifications are off. */
export function createPushBackend(
  { push, auth }: Pick<GatewaySettings, 'push' | 'auth'>,
  { webhooks, emit }: Parts,
): PushBackend | undefined {
  if (!push) return undefined;
  const policy = new AddressPolicy(push.policy);
  return {
    webhooks,
    policy,
    takesSecrets: webhooks.areEncrypted || !isAuthenticated(auth) || push.allowsClear,
    consent: push.asksConsent ? new WebhookConsent(policy) : undefined,
    warnIfClear: clearStorageWarning(webhooks.areEncrypted, emit),
  };
}

function clearStorageWarning(areEncrypted: boolean, emit: Emit): () => void {
  let isSaid = areEncrypted;
  return () => {
    if (!isSaid) emit({ kind: 'push-in-clear' });
    isSaid = true;
  };
}
