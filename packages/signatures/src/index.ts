export { CardVerifier, type VerifiedCard } from './cards/card-verifier.ts';
export { type SignedForms, signedForms } from './cards/signed-forms.ts';
export type { CardTrust } from './cards/trusted-keys.ts';
export { CardVerificationError } from './cards/trusted-keys.ts';
export {
  createNotificationVerifier,
  type NotificationVerdict,
  type NotificationVerifier,
  type NotificationVerifierOptions,
  type ReceivedNotification,
} from './webhooks/notification-verifier.ts';
