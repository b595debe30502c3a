import type { LaneId, Webhook } from '@switchyard/store';
import { type Dispatcher, request } from 'undici';
import type { Circuits } from './circuits.ts';
import type { Notification } from './notification.ts';
import { type Outcome, outcomeOfAnswer, outcomeOfError } from './outcome.ts';
import { requestHeaders, signatureHeader } from './request-headers.ts';
import type { Sign } from './sign.ts';

export interface SendPort {
  readonly dispatcher: Dispatcher;
  readonly circuits: Circuits;
  readonly sign: Sign | undefined;
  readonly timeoutMs: number;
}

/** Whom it is sent to. */
export interface Receiver {
  readonly id: LaneId;
  readonly webhook: Webhook;
}

/** What an answer says besides its status is of no interest; reading a little of it keeps the connection. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** One attempt at one delivery. Never throws: whatever happens is an outcome. */
export function send(port: SendPort, receiver: Receiver, notification: Notification): Promise<Outcome> {
  const { host } = new URL(receiver.webhook.url);
  return port.circuits.guard(host, () => post(port, receiver, notification).catch(outcomeOfError));
}

async function post(
  { dispatcher, sign, timeoutMs }: SendPort,
  { id, webhook }: Receiver,
  { mark, body }: Notification,
): Promise<Outcome> {
  const signature = sign && { [signatureHeader]: await sign(body, new URL(webhook.url).origin) };
  const answer = await request(webhook.url, {
    dispatcher,
    method: 'POST',
    headers: { ...requestHeaders(webhook, id, mark), ...signature },
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
