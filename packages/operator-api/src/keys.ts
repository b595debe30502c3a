import { z } from 'zod';

/** The scopes of callers without scopes of their own: all except `admin`. */
export const defaultScopes = ['send', 'read', 'cancel', 'push', 'events'] as const;

/** The tenant of callers without a tenant of their own. */
export const defaultTenant = 'default';

const DAY_MS = 86_400_000;
const MAX_DAYS = 3_650;

const name = z.string('is needed').min(1, 'must not be empty').max(256, 'has more than 256 characters');
const word = z.string().regex(/^[\w.:/-]{1,128}$/, 'must be words of letters, digits and . : / _ -');
const words = z
  .string()
  .transform((text) => text.split(/[\s,+]+/).filter((each) => each !== ''))
  .pipe(z.array(word).max(100, 'has more than 100 words'));
const days = z.coerce
  .number('must be a number of days')
  .positive('must be a number of days')
  .max(MAX_DAYS, `must be at most ${MAX_DAYS} days`);

/** The parameters for a new API key. Each field is text, as operators enter it. */
export const keyParameters = z.strictObject({
  subject: name,
  tenant: name.default(defaultTenant),
  scopes: words.default([]),
  agents: words.optional(),
  note: z.string().max(256, 'has more than 256 characters').optional(),
  days: days.optional(),
});

/** @returns a warning if the scopes give no permissions here, otherwise undefined */
export function scopesProblem(scopes: readonly string[]): string | undefined {
  if (scopes.length === 0 || [...defaultScopes, 'admin'].some((scope) => scopes.includes(scope))) return undefined;
  return `No scope of ${defaultScopes.join(', ')}, admin: the key has no permissions here.`;
}

/** The key to create, with its expiry as a time. */
export function keyDraft({ days: validDays, ...given }: z.output<typeof keyParameters>) {
  if (validDays === undefined) return given;
  return { ...given, expiresAt: new Date(Date.now() + validDays * DAY_MS).toISOString() };
}
