import { randomUUID } from 'node:crypto';
import type { Encryption } from './encryption.ts';

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
  /** Version of A2A in which events are delivered; unset: 1.0. */
  readonly version?: '0.3' | '1.1';
  /** W3C trace context of the request that made it, sent with each delivery. */
  readonly traceParent?: string;
  readonly traceState?: string;
}

/** A webhook without an id gets one. */
export type WebhookDraft = Omit<Webhook, 'id'> & { readonly id?: string };

/** In A2A 0.3 a webhook without an id is the only one of its task: the next one replaces it. */
export function withId(draft: WebhookDraft, taskId: string): Webhook {
  return { ...draft, id: draft.id ?? (draft.version === '0.3' ? taskId : randomUUID()) };
}

/** Encrypts the whole webhook, as URLs may hold secrets. It is bound to its task: no other task can decrypt it. */
export function encryptWebhook(encryption: Encryption, taskId: string, webhook: Webhook): string {
  return encryption.encrypt(JSON.stringify(webhook), taskId);
}

/** @throws {Unreadable} */
export function decryptWebhook(encryption: Encryption, taskId: string, encrypted: string): Webhook {
  return JSON.parse(encryption.decrypt(encrypted, taskId));
}
