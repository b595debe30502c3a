import type { AgentCard, AgentCardSignature } from '@switchyard/protocol';
import { parseAgentCard } from '@switchyard/protocol/parse-agent-card';
import { type FlattenedVerifyResult, flattenedVerify } from 'jose';
import { type SignedForms, signedForms } from './signed-forms.ts';
import { type CardTrust, CardVerificationError, TrustedKeys } from './trusted-keys.ts';

/** A card with a valid signature by a trusted key. */
export interface VerifiedCard {
  /** Use this card, not the received one: it has only fields that the signature covers, those of A2A 1.0. */
  readonly card: AgentCard;
  /** Id of the key that signed it. */
  readonly kid: string;
  /** `exact`: as the specification defines it. `lean`: as the published SDKs sign, without empty fields. */
  readonly form: keyof SignedForms;
}

/** Only asymmetric algorithms: with a shared secret, every verifier could sign. */
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

/** Further signatures are ignored, to bound the work for a hostile card. */
const maxSignatures = 16;

/** Verifies the signatures of agent cards (A2A 8.4.3). Reuse one instance: it caches published keys. */
export class CardVerifier {
  readonly #keys: TrustedKeys;

  /** @throws {TypeError} there are no trusted keys, or a URL is not safe */
  constructor(trust: CardTrust) {
    this.#keys = new TrustedKeys(trust);
  }

  /**
   * One valid signature is enough: during a key rotation, others may have keys that are not trusted yet or any more.
   * @param card as it was received
   * @throws {CardVerificationError} no signature is valid
   * @throws {A2AError} InvalidParams: it is not an agent card
   */
  async verify(card: unknown): Promise<VerifiedCard> {
    const parsed = parseAgentCard(card, 'card');
    const forms = signedForms(parsed);
    const reasons: string[] = [];
    let cause: unknown;
    for (const signature of (parsed.signatures ?? []).slice(0, maxSignatures)) {
      try {
        return { card: parsed, ...(await this.#verify(signature, forms)) };
      } catch (error) {
        cause = error;
        reasons.push(error instanceof Error ? error.message : String(error));
      }
    }
    const why = reasons.join('; ') || 'it has no signature';
    throw new CardVerificationError(`The agent card has no valid signature of a trusted key: ${why}`, { cause });
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

/** The key id, which A2A 8.4.2 requires. */
function kidOf({ protectedHeader }: FlattenedVerifyResult): string {
  if (protectedHeader?.kid === undefined) throw new Error('its header has no kid');
  return protectedHeader.kid;
}
