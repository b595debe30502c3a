import type { Vault } from './vault.ts';
import type { Webhook } from './webhook.ts';

/** All of it is sealed: addresses may hold secrets, too. Bound to its task, so that it opens as no other task's. */
export function sealWebhook(vault: Vault, taskId: string, webhook: Webhook): string {
  return vault.seal(JSON.stringify(webhook), taskId);
}

/** @throws {Unreadable} */
export function openWebhook(vault: Vault, taskId: string, sealed: string): Webhook {
  return JSON.parse(vault.open(sealed, taskId));
}
