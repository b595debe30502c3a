import type { AgentCard, AgentCardSignature } from '@switchyard/protocol';
import type { SigningKey } from '@switchyard/settings';
import { signedForms } from '@switchyard/signatures';
import { FlattenedSign } from 'jose';

/**
 * Signs the card with each key (A2A 8.4), in the specification's canonical form and, where the published SDKs read
 * another form, in that one as well: a verifier needs one valid signature.
 * @param jwksUrl URL of the public keys
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
 * Without a public URL a card repeats the host of its request: a signature would vouch for any host.
 * @returns the problem and its remedy; undefined if there is none
 */
export function missingPublicUrlProblem(settings: {
  readonly publicUrl?: string | undefined;
  readonly cardSigningKeys: readonly SigningKey[];
}): string | undefined {
  if (settings.cardSigningKeys.length === 0 || settings.publicUrl !== undefined) return undefined;
  return 'PUBLIC_URL is needed to sign agent cards: without it, they repeat the host that their reader asked for';
}
