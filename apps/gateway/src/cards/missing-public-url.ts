import type { SigningKey } from '@switchyard/settings';

/**
 * Without a public URL a card repeats the host of the request for it: signed, it would vouch for any host that a request names.
 * @returns what is wrong and what to do about it; undefined if nothing is
 */
export function missingPublicUrlProblem(settings: {
  readonly publicUrl?: string | undefined;
  readonly cardSigningKeys: readonly SigningKey[];
}): string | undefined {
  if (settings.cardSigningKeys.length === 0 || settings.publicUrl !== undefined) return undefined;
  return 'PUBLIC_URL is needed to sign agent cards: without it, they repeat the host that their reader asked for';
}
