/** Where a client wants to be told of the events of a task (A2A 4.3.1). */
export interface Webhook {
  /** Unique within its task. */
  readonly id: string;
  readonly url: string;
  /** As the client's request named it. */
  readonly tenant?: string;
  /** Sent along, so that the receiver knows which of its tasks is meant. */
  readonly token?: string;
  readonly authentication?: { readonly scheme: string; readonly credentials?: string };
  /** Of A2A, in which it is told; unset: 1.0. */
  readonly version?: '0.3';
  /** W3C trace context of the request that made it; sent along. */
  readonly traceParent?: string;
}

/** One that may still lack an id: it is given one. */
export type WebhookDraft = Omit<Webhook, 'id'> & { readonly id?: string };
