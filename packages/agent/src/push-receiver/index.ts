export {
  createNotificationVerifier,
  type NotificationVerdict,
  type NotificationVerifier,
  type NotificationVerifierOptions,
  type ReceivedNotification,
} from './notification-verifier.ts';
