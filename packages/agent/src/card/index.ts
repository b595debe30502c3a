export { CardVerificationError } from './card-verification-error.ts';
export { CardVerifier, type VerifiedCard } from './card-verifier.ts';
export { type SignedForms, signedForms } from './signed-forms.ts';
export type { CardTrust } from './trusted-keys.ts';
