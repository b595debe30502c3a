import type { GuardedClient } from '@switchyard/outgoing';
import type { TraceContext } from '@switchyard/protocol';
import type { DeliveryQueueId, Webhook } from '@switchyard/store';
import { safeReason, traceDelivery } from '@switchyard/telemetry';
import type { Emit } from '../telemetry/events.ts';
import type { Circuits } from './circuits.ts';
import type { Notification } from './notification.ts';
import { type Outcome, outcomeOfAnswer, outcomeOfError } from './outcome.ts';
import type { Sign } from './sign.ts';

export interface SendDependencies {
  readonly client: Pick<GuardedClient, 'request'>;
  readonly circuits: Circuits;
  readonly sign: Sign | undefined;
  readonly emit: Emit;
  /** Values that are left out of what is kept of responses. */
  readonly secrets?: readonly string[];
}

/** The webhook that gets a delivery. */
export interface Receiver {
  readonly id: DeliveryQueueId;
  readonly webhook: Webhook;
}

interface TracedNotification extends Notification {
  readonly traceContext: TraceContext | undefined;
}

/** Makes one attempt at one delivery. Never throws: every error is an outcome. */
export function sendNotification(
  dependencies: SendDependencies,
  receiver: Receiver,
  notification: Notification,
): Promise<Outcome> {
  const { host, origin } = new URL(receiver.webhook.url);
  const { taskId } = receiver.id;
  const { traceParent: parent, traceState: state } = receiver.webhook;
  const traceContext = parent === undefined ? undefined : { parent, ...(state !== undefined && { state }) };
  return dependencies.circuits.guard(host, () =>
    traceDelivery({ origin, taskId, traceContext }, (sent) =>
      attempt(dependencies, receiver, { ...notification, traceContext: sent }),
    ),
  );
}

async function attempt(
  dependencies: SendDependencies,
  receiver: Receiver,
  notification: TracedNotification,
): Promise<Outcome> {
  const begun = performance.now();
  const outcome = await post(dependencies, receiver, notification).catch(outcomeOfError);
  dependencies.emit({ kind: 'push-answered', outcome: outcome.kind, durationMs: performance.now() - begun });
  return outcome;
}

async function post(
  { client, sign, secrets = [] }: SendDependencies,
  { id, webhook }: Receiver,
  { deliveryId, body, traceContext }: TracedNotification,
): Promise<Outcome> {
  const signature = sign && { [signatureHeader]: await sign(body, new URL(webhook.url).origin) };
  const answer = await client.request(webhook.url, {
    method: 'POST',
    headers: { ...requestHeaders(webhook, id, deliveryId), ...traceHeaders(traceContext), ...signature },
    body,
  });
  const begin = await drain(answer.body);
  const said = safeReason(
    begin
      .toString()
      .replace(/[\p{Cc}\uFFFD]+/gu, ' ')
      .trim(),
    [...secrets, ...secretsOf(webhook)],
  );
  return outcomeOfAnswer(answer.status, answer.headers['retry-after'], said);
}

/** Bytes of a response that are kept if the delivery failed. */
const RESPONSE_BYTES = 256;

/**
 * Reads the body. The status was received: a body that is too long, or breaks off, does not change the outcome.
 * @returns its first bytes
 */
async function drain(body: AsyncIterable<Buffer>): Promise<Buffer> {
  let begin = Buffer.alloc(0);
  try {
    for await (const chunk of body)
      if (begin.length < RESPONSE_BYTES)
        begin = Buffer.concat([begin, chunk.subarray(0, RESPONSE_BYTES - begin.length)]);
  } catch {
    // The part that came is enough.
  }
  return begin;
}

/** What the receiver was sent, and may repeat. */
function secretsOf({ token, authentication }: Webhook): string[] {
  return [token, authentication?.credentials].flatMap((secret) => secret || []);
}

/**
 * A2A 4.3.3: the authentication of the config, and its token under the name that the published SDKs use. The delivery
 * id is the same in each attempt at a delivery, so that receivers can ignore repetitions.
 */
function requestHeaders(webhook: Webhook, { taskId }: DeliveryQueueId, deliveryId: string): Record<string, string> {
  const { token, authentication, version = '1.0' } = webhook;
  const { scheme, credentials } = authentication ?? {};
  return {
    'content-type': version === '0.3' ? 'application/json' : 'application/a2a+json',
    'user-agent': 'Switchyard',
    'a2a-version': version,
    'x-a2a-delivery-id': `${taskId}:${encodeURIComponent(webhook.id)}:${deliveryId}`,
    ...(scheme && credentials && { authorization: `${scheme} ${credentials}` }),
    ...(token && { 'x-a2a-notification-token': token }),
  };
}

function traceHeaders(context: TraceContext | undefined): Record<string, string> {
  if (!context) return {};
  return { traceparent: context.parent, ...(context.state !== undefined && { tracestate: context.state }) };
}

/** Header of the delivery's signature, if there is one: a JWT, see `createSigner`. */
const signatureHeader = 'x-a2a-notification-signature';
