import type { DeliveryQueueId, Webhook } from '@switchyard/store';
import { type Dispatcher, request } from 'undici';
import type { Circuits } from './circuits.ts';
import type { Notification } from './notification.ts';
import { type Outcome, outcomeOfAnswer, outcomeOfError } from './outcome.ts';
import type { Sign } from './sign.ts';

export interface SendPort {
  readonly dispatcher: Dispatcher;
  readonly circuits: Circuits;
  readonly sign: Sign | undefined;
  readonly timeoutMs: number;
}

/** The webhook that it is sent to. */
export interface Receiver {
  readonly id: DeliveryQueueId;
  readonly webhook: Webhook;
}

/** What an answer says besides its status is of no interest; reading a little of it keeps the connection. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** One attempt at one delivery. Never throws: every error is an outcome. */
export function send(port: SendPort, receiver: Receiver, notification: Notification): Promise<Outcome> {
  const { host } = new URL(receiver.webhook.url);
  return port.circuits.guard(host, () => post(port, receiver, notification).catch(outcomeOfError));
}

async function post(
  { dispatcher, sign, timeoutMs }: SendPort,
  { id, webhook }: Receiver,
  { deliveryId, body }: Notification,
): Promise<Outcome> {
  const signature = sign && { [signatureHeader]: await sign(body, new URL(webhook.url).origin) };
  const answer = await request(webhook.url, {
    dispatcher,
    method: 'POST',
    headers: { ...requestHeaders(webhook, id, deliveryId), ...signature },
    body,
    signal: AbortSignal.timeout(timeoutMs),
  });
  await drain(answer.body);
  const retryAfter = answer.headers['retry-after'];
  return outcomeOfAnswer(answer.statusCode, typeof retryAfter === 'string' ? retryAfter : undefined);
}

/** The status has been received: an answer that is too long, or breaks off, changes nothing about it. */
async function drain(body: Dispatcher.ResponseData['body']): Promise<void> {
  await body.dump({ limit: MAX_ANSWER_BYTES }).catch(() => undefined);
}

/**
 * A2A 4.3.3: what the config says of authentication, and its token beside it under the name that the published SDKs
 * use. The delivery id is the same in each attempt at a delivery, so that receivers can ignore repetitions.
 */
function requestHeaders(webhook: Webhook, { taskId }: DeliveryQueueId, deliveryId: string): Record<string, string> {
  const { token, authentication, traceParent, version = '1.0' } = webhook;
  const { scheme, credentials } = authentication ?? {};
  return {
    'content-type': version === '0.3' ? 'application/json' : 'application/a2a+json',
    'user-agent': 'Switchyard',
    'a2a-version': version,
    'x-a2a-delivery-id': `${taskId}:${encodeURIComponent(webhook.id)}:${deliveryId}`,
    ...(scheme && credentials && { authorization: `${scheme} ${credentials}` }),
    ...(token && { 'x-a2a-notification-token': token }),
    ...(traceParent && { traceparent: traceParent }),
  };
}

/** Of the delivery's own signature, if there is one: a JWT, see `createSigner`. */
const signatureHeader = 'x-a2a-notification-signature';
