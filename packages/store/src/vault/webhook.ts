import type { Vault } from './vault.ts';

/** Where a client wants the events of a task delivered (A2A 4.3.1). */
export interface Webhook {
  /** Unique within its task. */
  readonly id: string;
  readonly url: string;
  /** As the client's request named it. */
  readonly tenant?: string;
  /** Sent along, so that the receiver knows which of its tasks is meant. */
  readonly token?: string;
  readonly authentication?: { readonly scheme: string; readonly credentials?: string };
  /** Of A2A, in which events are delivered; unset: 1.0. */
  readonly version?: '0.3';
  /** W3C trace context of the request that made it; sent along. */
  readonly traceParent?: string;
}

/** One that may still lack an id: it is given one. */
export type WebhookDraft = Omit<Webhook, 'id'> & { readonly id?: string };

/** All of it is sealed: addresses may hold secrets, too. Bound to its task, so that it opens as no other task's. */
export function sealWebhook(vault: Vault, taskId: string, webhook: Webhook): string {
  return vault.seal(JSON.stringify(webhook), taskId);
}

/** @throws {Unreadable} */
export function openWebhook(vault: Vault, taskId: string, sealed: string): Webhook {
  return JSON.parse(vault.open(sealed, taskId));
}
