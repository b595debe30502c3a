import { A2AError, type StreamResponse } from '@switchyard/protocol';
import { parse, streamResponseSchema } from '@switchyard/protocol/schemas';
import { createLocalJWKSet, createRemoteJWKSet, type JSONWebKeySet } from 'jose';
import { checkSignature, isSameSecret, type SignatureOptions } from './signature.ts';

/** How a receiver authenticates push notifications (A2A 13.2). At least one of the first three is required. */
export interface NotificationVerifierOptions {
  /** The sender's keys, or their URL (`https://<gateway>/.well-known/jwks.json`): a signature is required. */
  readonly keys?: URL | JSONWebKeySet;
  /** The token of the webhook's configuration: required in `X-A2A-Notification-Token`. */
  readonly token?: string;
  /** The authentication of the webhook's configuration, as in `Bearer …`: required in `Authorization`. */
  readonly authorization?: string;
  /** The origin in the webhook's URL, `https://client.example.com`: signatures for other receivers are refused. */
  readonly audience?: string;
  /** Tolerated difference between the clocks of sender and receiver. Default: 30. */
  readonly clockToleranceSeconds?: number;
  /**
   * Detects replayed notifications: stores the id of a signature until the given time (seconds since 1970), and returns
   * false if it was stored already. Default: a signature is valid until it expires.
   */
  readonly remember?: (id: string, until: number) => boolean | Promise<boolean>;
}

/** A received request: header names in lower case, and the body before it is parsed. */
export interface ReceivedNotification {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string | Uint8Array;
}

/**
 * - `genuine`: respond with 2xx once you have processed or stored it. The same `deliveryId` may arrive again; ignore
 *   the repetition.
 * - `refused`: respond with `status`; `reason` is for your log.
 */
export type NotificationVerdict =
  | { readonly kind: 'genuine'; readonly deliveryId: string; readonly event: StreamResponse }
  | { readonly kind: 'refused'; readonly status: 400 | 401; readonly reason: string };

export type NotificationVerifier = (notification: ReceivedNotification) => Promise<NotificationVerdict>;

/** @throws {TypeError} neither keys nor token nor authorization are given */
export function createNotificationVerifier(options: NotificationVerifierOptions): NotificationVerifier {
  const { keys, token, authorization } = options;
  if (keys === undefined && token === undefined && authorization === undefined)
    throw new TypeError('Pass at least one of keys, token and authorization.');
  const signature = keys && {
    ...options,
    keys: keys instanceof URL ? createRemoteJWKSet(keys) : createLocalJWKSet(keys),
  };
  return async (notification) => {
    const reason = secretProblem(notification, options) ?? (await signatureProblem(notification, signature));
    return reason === undefined ? read(notification) : { kind: 'refused', status: 401, reason };
  };
}

function secretProblem(notification: ReceivedNotification, options: NotificationVerifierOptions): string | undefined {
  const expected = { 'x-a2a-notification-token': options.token, authorization: options.authorization };
  for (const [name, secret] of Object.entries(expected)) {
    if (secret !== undefined && !isSameSecret(headerOf(notification, name), secret))
      return `the header ${name} is missing or wrong`;
  }
  return undefined;
}

async function signatureProblem(
  notification: ReceivedNotification,
  options: SignatureOptions | undefined,
): Promise<string | undefined> {
  const jwt = headerOf(notification, 'x-a2a-notification-signature');
  return options && checkSignature({ jwt, body: notification.body }, options);
}

function read(notification: ReceivedNotification): NotificationVerdict {
  const { body } = notification;
  try {
    const event = parse(
      streamResponseSchema,
      JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)),
    );
    return { kind: 'genuine', deliveryId: headerOf(notification, 'x-a2a-delivery-id'), event };
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof A2AError)) throw error;
    return { kind: 'refused', status: 400, reason: `the body is not a StreamResponse: ${error.message}` };
  }
}

function headerOf({ headers }: ReceivedNotification, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}
