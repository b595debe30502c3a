import type { Principal } from '@switchyard/protocol';

/** A principal and an agent: a task is visible only to the principal that created it, at its agent. */
export interface Scope {
  readonly principal: Principal;
  readonly agent: string;
}

/** Caches keys: a caller's principal is the same object in all of its requests. */
const knownKeys = new WeakMap<Principal, string>();

/** A principal in keys and records: `tenant/subject`, each part URI-encoded. */
export function principalKey(principal: Principal): string {
  const known = knownKeys.get(principal);
  if (known !== undefined) return known;
  const key = `${encodeURIComponent(principal.tenant)}/${encodeURIComponent(principal.subject)}`;
  knownKeys.set(principal, key);
  return key;
}

/** A scope in keys and records: `tenant/subject/agent`, each part URI-encoded. */
export function ownerOf({ principal, agent }: Scope): string {
  return `${principalKey(principal)}/${encodeURIComponent(agent)}`;
}

/** The agent of an `ownerOf` text. */
export function agentOf(owner: string): string {
  return decodeURIComponent(owner.slice(owner.lastIndexOf('/') + 1));
}

/** The tenant of an `ownerOf` text, URI-encoded as in it. */
export function tenantOf(owner: string): string {
  return owner.slice(0, owner.indexOf('/'));
}

/** The principal of an `ownerOf` text. @param scopes when it sent the message */
export function principalOf(owner: string, scopes: readonly string[]): Principal {
  const [tenant = '', subject = ''] = owner.split('/').map(decodeURIComponent);
  return { tenant, subject, scopes };
}

/** The scope of an `ownerOf` text. */
export function scopeOf(owner: string): Scope {
  return { principal: principalOf(owner, []), agent: agentOf(owner) };
}
