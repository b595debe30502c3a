import { A2AError, type StreamResponse } from '@switchyard/protocol';
import { parse, streamResponseSchema } from '@switchyard/protocol/schemas';
import { createLocalJWKSet, createRemoteJWKSet, type JSONWebKeySet } from 'jose';
import { checkSignature, isSameSecret, type SignatureOptions } from './signature.ts';

/**
 * How a receiver of push notifications knows that one is genuine (A2A 13.2). At least one of the first three is needed.
 */
export interface NotificationVerifierOptions {
  /**
   * Where the sender publishes its keys (`https://<gateway>/.well-known/jwks.json`), or the keys: signatures are
   * required.
   */
  readonly keys?: URL | JSONWebKeySet;
  /** The config's token: required in `X-A2A-Notification-Token`. */
  readonly token?: string;
  /** The config's authentication as a header has it, `Bearer …`: required in `Authorization`. */
  readonly authorization?: string;
  /**
   * Origin of this receiver as the config's URL has it, `https://client.example.com`: signatures for others are
   * refused.
   */
  readonly audience?: string;
  /** How far the clocks may be apart. Default 30. */
  readonly clockToleranceSeconds?: number;
  /**
   * Notes the id of a signature until the given time, in seconds since 1970; false if it was noted before: then what
   * was captured is being sent again. Unset: a signature is good until it expires.
   */
  readonly remember?: (id: string, until: number) => boolean | Promise<boolean>;
}

/** A request as it came: names of headers in lower case, the body not yet parsed. */
export interface ReceivedNotification {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string | Uint8Array;
}

/**
 * - `genuine`: answer 2xx once it is taken care of. The same `deliveryId` may come again; what has come already can be
 *   left out.
 * - `refused`: answer with the status; the reason is for your log.
 */
export type NotificationVerdict =
  | { readonly kind: 'genuine'; readonly deliveryId: string; readonly event: StreamResponse }
  | { readonly kind: 'refused'; readonly status: 400 | 401; readonly reason: string };

export type NotificationVerifier = (notification: ReceivedNotification) => Promise<NotificationVerdict>;

/** @throws {TypeError} nothing is given by which a genuine notification is known */
export function createNotificationVerifier(options: NotificationVerifierOptions): NotificationVerifier {
  const { keys, token, authorization } = options;
  if (keys === undefined && token === undefined && authorization === undefined)
    throw new TypeError('Say how a genuine notification is known: keys, token or authorization.');
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
    if (secret !== undefined && !isSameSecret(headerOf(notification, name), secret)) return `${name} is not as agreed`;
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
    return { kind: 'refused', status: 400, reason: `the body is no StreamResponse: ${error.message}` };
  }
}

function headerOf({ headers }: ReceivedNotification, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}
