import type { DurableDependencies } from '@switchyard/redis';
import type { DeliveryQueueId, EventId, Queues, StoreSettings } from '@switchyard/store';
import type { ConsumerDependencies, Encryption, Shards } from '@switchyard/store/inside';

/** What the code of webhooks and their delivery queues uses. */
export interface PushDependencies extends DurableDependencies {
  readonly shards: Shards;
  readonly queue: Queues;
  readonly encryption: Encryption;
  readonly settings: StoreSettings;
  readonly consumers: ConsumerDependencies;
}

/** KEYS of every script of a webhook: `ShardKeys.webhooks` gives them. */
export const webhookKeys = ['task', 'webhooks', 'push'] as const;

/** How much of its task a webhook has received: the last event that was delivered, or skipped. */
export interface DeliveryCursor extends EventId {
  /** Artifacts of which chunks were skipped: they are still to be delivered, whole. */
  readonly pending: readonly string[];
}

/** The cursor as it is stored: `<seq>-<incarnation>`, then a blank and the pending artifacts as JSON, if any. */
export function cursorText({ seq, incarnation, pending }: DeliveryCursor): string {
  const at = incarnation ? `${seq}-${incarnation}` : `${seq}`;
  return pending.length ? `${at} ${JSON.stringify(pending)}` : at;
}

export function parseCursor(text: string): DeliveryCursor {
  const [at = '', pending] = text.split(/ (.*)/s);
  const [seq, incarnation] = at.split('-').map(Number);
  return { seq: seq ?? 0, ...(incarnation && { incarnation }), pending: pending ? JSON.parse(pending) : [] };
}

/** The state of a delivery queue when a run opens it. */
export interface DeliveryQueueState {
  readonly id: DeliveryQueueId;
  /** Of the run of its job. */
  readonly token: string;
  readonly configId: string;
  readonly encrypted: string;
  readonly cursor: DeliveryCursor;
  /** Failed attempts at the next delivery. */
  readonly attempts: number;
  /** Milliseconds since the first of them. */
  readonly ageMs: number;
}

/** Why the deliveries to a webhook were given up. */
export interface DeliveryFailure {
  /** Scheme, host and port: the rest of the address may be secret. '' if it cannot be read. */
  readonly origin: string;
  readonly reason: string;
  readonly attempts: number;
}

/** An attempt at a delivery that failed, as operators see it. */
export interface FailedAttempt {
  /** ISO time. */
  readonly at: string;
  /** Status of the response; unset: there was none. */
  readonly status?: number | undefined;
  readonly reason: string;
  /** The beginning of the response's body, without secrets. */
  readonly response?: string | undefined;
}

/** The failure as it is stored with the delivery queue. */
export interface DeadLetterDetails extends DeliveryFailure {
  readonly configId: string;
}
