import type { Vault } from './vault.ts';

/** Where a client wants the events of a task delivered (A2A 4.3.1). */
export interface Webhook {
  /** Unique within its task. */
  readonly id: string;
  readonly url: string;
  /** The tenant of the client's request. */
  readonly tenant?: string;
  /** Sent with each delivery, so that the receiver knows its task. */
  readonly token?: string;
  readonly authentication?: { readonly scheme: string; readonly credentials?: string };
  /** Of A2A, in which events are delivered; unset: 1.0. */
  readonly version?: '0.3';
  /** W3C trace context of the request that made it, sent with each delivery. */
  readonly traceParent?: string;
}

/** A webhook without an id gets one. */
export type WebhookDraft = Omit<Webhook, 'id'> & { readonly id?: string };

/** Encrypts all of it, as URLs may hold secrets. Bound to its task: it cannot be decrypted as another task's. */
export function sealWebhook(vault: Vault, taskId: string, webhook: Webhook): string {
  return vault.seal(JSON.stringify(webhook), taskId);
}

/** @throws {Unreadable} */
export function openWebhook(vault: Vault, taskId: string, sealed: string): Webhook {
  return JSON.parse(vault.open(sealed, taskId));
}
