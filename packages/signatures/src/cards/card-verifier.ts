import type { AgentCard, AgentCardSignature } from '@switchyard/protocol';
import { parseAgentCard } from '@switchyard/protocol/parse-agent-card';
import { type FlattenedVerifyResult, flattenedVerify } from 'jose';
import { type SignedForms, signedForms } from './signed-forms.ts';
import { type CardTrust, CardVerificationError, TrustedKeys } from './trusted-keys.ts';

/** A card that somebody trusted vouches for. */
export interface VerifiedCard {
  /** Only what the signature covers: fields that A2A 1.0 does not know are gone. Use this, not what came. */
  readonly card: AgentCard;
  /** The key that vouches for it. */
  readonly kid: string;
  /**
   * `exact` as the specification has it; `lean` as the published SDKs sign: then the signature says nothing of empty
   * fields.
   */
  readonly form: keyof SignedForms;
}

/** Public keys only: with a shared secret every verifier could sign. */
const algorithms = [
  'ES256',
  'ES384',
  'ES512',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'EdDSA',
  'Ed25519',
];

/** Signatures that are tried; a card with more is no honest one. */
const mostSignatures = 16;

/** Verifies the signatures of agent cards (A2A 8.4.3). Keep one: it remembers published keys. */
export class CardVerifier {
  readonly #keys: TrustedKeys;

  /** @throws {TypeError} when nothing is trusted, or a URL is not safe */
  constructor(trust: CardTrust) {
    this.#keys = new TrustedKeys(trust);
  }

  /**
   * One good signature is enough: the others may be of keys that come or go.
   * @param card as it was received
   * @throws {CardVerificationError} when no signature is good
   * @throws {A2AError} InvalidParams when it is no agent card
   */
  async verify(card: unknown): Promise<VerifiedCard> {
    const parsed = parseAgentCard(card, 'card');
    const forms = signedForms(parsed);
    const reasons: string[] = [];
    let cause: unknown;
    for (const signature of (parsed.signatures ?? []).slice(0, mostSignatures)) {
      try {
        return { card: parsed, ...(await this.#verify(signature, forms)) };
      } catch (error) {
        cause = error;
        reasons.push(error instanceof Error ? error.message : String(error));
      }
    }
    const why = reasons.join('; ') || 'it has none';
    throw new CardVerificationError(`No signature of the agent card can be relied on: ${why}`, { cause });
  }

  async #verify(signature: AgentCardSignature, { exact, lean }: SignedForms): Promise<Omit<VerifiedCard, 'card'>> {
    try {
      return { kid: kidOf(await this.#check(signature, exact)), form: 'exact' };
    } catch (error) {
      if (lean === exact) throw error;
      return { kid: kidOf(await this.#check(signature, lean)), form: 'lean' };
    }
  }

  #check({ protected: header, signature }: AgentCardSignature, form: string): Promise<FlattenedVerifyResult> {
    const payload = Buffer.from(form).toString('base64url');
    return flattenedVerify({ protected: header, signature, payload }, this.#keys.find, { algorithms });
  }
}

/** Required (A2A 8.4.2). */
function kidOf({ protectedHeader }: FlattenedVerifyResult): string {
  if (protectedHeader?.kid === undefined) throw new Error('its header names no key');
  return protectedHeader.kid;
}
