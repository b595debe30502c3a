import { createHash } from 'node:crypto';

/** PostgreSQL refuses index entries of more than 2,704 bytes; an entry has up to two keys, a time and an id. */
const MAX_KEY_BYTES = 500;

/** A text to search by: itself, or a part and the hash of one that is too long for an index. */
export function keyOf(text: string): string {
  if (text.length * 3 <= MAX_KEY_BYTES || Buffer.byteLength(text) <= MAX_KEY_BYTES) return text;
  // The mark is in no short key: texts never have this character raw. See `idText` and `ownerOf`.
  return `${text.slice(0, 100).toWellFormed()}\u0001${createHash('sha256').update(text).digest('hex')}`;
}

/** The keys of the beginnings of an owner: `tenant/` and `tenant/subject/`. */
export function prefixKeysOf(owner: string): { readonly tenant: string; readonly principal: string } {
  const tenantEnd = owner.indexOf('/') + 1;
  const principalEnd = owner.indexOf('/', tenantEnd) + 1;
  return { tenant: keyOf(owner.slice(0, tenantEnd)), principal: keyOf(owner.slice(0, principalEnd)) };
}

/** What PostgreSQL cannot store, and therefore does not have. */
export const hasNul = (text: string): boolean => text.includes('\0');
