import type { Feeds, Tasks, WebhookPolicy, Webhooks } from '@switchyard/store';
import type { Cards } from '../cards/cards.ts';
import type { GatewaySettings } from '../settings/gateway-settings.ts';
import type { Emit } from '../telemetry/events.ts';

/** The part of the store's tasks that operations use. */
export type TaskStore = Pick<Tasks, 'accept' | 'read' | 'list' | 'cancel' | 'withdraw' | 'delete'>;

/** The part of the store's webhooks that operations use. */
export type WebhookStore = Pick<Webhooks, 'create' | 'get' | 'list' | 'delete'>;

export interface PushBackend {
  readonly webhooks: WebhookStore;
  readonly policy: Pick<WebhookPolicy, 'problemOf'>;
  /** To be called before a config is stored. */
  readonly noteStoring: () => void;
}

/** What operations stand on. */
export interface Backend {
  readonly emit: Emit;
  readonly tasks: TaskStore;
  readonly feeds: Pick<Feeds, 'follow' | 'presubscribe'>;
  /** Unset: push notifications are off. */
  readonly push: PushBackend | undefined;
  readonly cards: Pick<Cards, 'offersExtended' | 'presentExtended'>;
  readonly settings: Pick<
    GatewaySettings,
    'sendMode' | 'blockingWaitMs' | 'acknowledgedIsReleased' | 'cancelWaitMs' | 'maxPollWaitMs' | 'messageHoldMs'
  >;
}
