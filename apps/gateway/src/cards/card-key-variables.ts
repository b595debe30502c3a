import { z } from 'zod';
import { readSigningKeys } from '../keys/read-signing-keys.ts';
import type { SigningKey } from '../keys/signing-key.ts';

const variables = z.object({
  PUBLIC_URL: z.string().optional(),
  CARD_SIGNING_KEY: z.string().optional(),
  CARD_SIGNING_KEYS: z.string().optional(),
});

/** The keys that sign agent cards, from the environment; while one key takes over from another, both sign. */
export const cardKeyVariables = variables.transform((env, context): readonly SigningKey[] => {
  const keys = (['CARD_SIGNING_KEY', 'CARD_SIGNING_KEYS'] as const).flatMap((name) => {
    try {
      return env[name] === undefined ? [] : readSigningKeys(env[name]);
    } catch (error) {
      report(context, name, error instanceof Error ? error.message : String(error));
      return [];
    }
  });
  const problem = unsignable({ publicUrl: env.PUBLIC_URL, cardSigningKeys: keys });
  if (problem !== undefined) report(context, 'PUBLIC_URL', problem);
  return keys;
});

/**
 * Without a public URL a card names the host that its reader asked for: signed, it would vouch for any host that somebody writes
 * into a request. @returns what is wrong and what to do about it; undefined if nothing is
 */
export function unsignable(settings: {
  readonly publicUrl?: string | undefined;
  readonly cardSigningKeys: readonly SigningKey[];
}): string | undefined {
  if (settings.cardSigningKeys.length === 0 || settings.publicUrl !== undefined) return undefined;
  return 'PUBLIC_URL is needed to sign agent cards: without it, they repeat the host that their reader asked for';
}

function report(context: z.core.$RefinementCtx, name: string, message: string): void {
  context.addIssue({ code: 'custom', path: [name], message });
}
