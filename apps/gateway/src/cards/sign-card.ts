import type { AgentCard, AgentCardSignature } from '@switchyard/protocol';
import type { SigningKey } from '@switchyard/settings';
import { signedForms } from '@switchyard/signatures';
import { FlattenedSign } from 'jose';

/**
 * The card with the signature of each key (A2A 8.4), over its form as the specification has it, and where the published
 * SDKs read another form out of the card, over that one too: a verifier needs one good signature.
 * @param jwksUrl where the public keys are
 */
export async function signCard(card: AgentCard, keys: readonly SigningKey[], jwksUrl: string): Promise<AgentCard> {
  const { exact, lean } = signedForms(card);
  const payloads = exact === lean ? [exact] : [exact, lean];
  const signatures = payloads.flatMap((payload) => keys.map((key) => sign(payload, key, jwksUrl)));
  return { ...card, signatures: await Promise.all(signatures) };
}

async function sign(payload: string, key: SigningKey, jku: string): Promise<AgentCardSignature> {
  const { protected: header = '', signature } = await new FlattenedSign(new TextEncoder().encode(payload))
    .setProtectedHeader({ alg: key.algorithm, typ: 'JOSE', kid: key.kid, jku })
    .sign(key.privateKey);
  return { protected: header, signature };
}

/**
 * Without a public URL a card repeats the host of the request for it: signed, it would vouch for any host that a
 * request names.
 * @returns what is wrong and what to do about it; undefined if nothing is
 */
export function missingPublicUrlProblem(settings: {
  readonly publicUrl?: string | undefined;
  readonly cardSigningKeys: readonly SigningKey[];
}): string | undefined {
  if (settings.cardSigningKeys.length === 0 || settings.publicUrl !== undefined) return undefined;
  return 'PUBLIC_URL is needed to sign agent cards: without it, they repeat the host that their reader asked for';
}
