import { z } from 'zod';

/** What a caller may do without scopes of its own: all but to administer. */
export const defaultScopes = ['send', 'read', 'cancel', 'push'] as const;

/** Of callers who have none of their own. */
export const defaultTenant = 'default';

const DAY_MS = 86_400_000;
const MOST_DAYS = 3_650;

const name = z.string('is needed').min(1, 'must not be empty').max(256, 'has more than 256 characters');
const word = z.string().regex(/^[\w.:/-]{1,128}$/, 'must be words of letters, digits and . : / _ -');
const words = z
  .string()
  .transform((text) => text.split(/[\s,+]+/).filter((each) => each !== ''))
  .pipe(z.array(word).max(100, 'has more than 100 words'));
const days = z.coerce
  .number('must be a number of days')
  .positive('must be a number of days')
  .max(MOST_DAYS, `must be at most ${MOST_DAYS} days`);

/** What an API key is made with, as operators name it: each field is text. */
export const keyParameters = z.strictObject({
  subject: name,
  tenant: name.default(defaultTenant),
  scopes: words.default([]),
  agents: words.optional(),
  note: z.string().max(256, 'has more than 256 characters').optional(),
  days: days.optional(),
});

/** @returns undefined if the scopes let the owner of a key do something here */
export function scopesProblem(scopes: readonly string[]): string | undefined {
  if (scopes.length === 0 || [...defaultScopes, 'admin'].some((scope) => scopes.includes(scope))) return undefined;
  return `No scope of ${defaultScopes.join(', ')}, admin: this key may do nothing here.`;
}

/** The key that is asked for, with the time when it expires. */
export function keyDraft({ days: validDays, ...given }: z.output<typeof keyParameters>) {
  if (validDays === undefined) return given;
  return { ...given, expiresAt: new Date(Date.now() + validDays * DAY_MS).toISOString() };
}
