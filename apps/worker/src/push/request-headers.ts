import type { LaneId, Webhook } from '@switchyard/store';

/**
 * A2A 4.3.3: what the config says of authentication, and its token beside it under the name that the published SDKs use.
 * The delivery id is the same whenever the same thing is told again, so that receivers can leave out what they had.
 */
export function requestHeaders(webhook: Webhook, { taskId }: LaneId, mark: string): Record<string, string> {
  const { token, authentication, traceParent, version = '1.0' } = webhook;
  const { scheme, credentials } = authentication ?? {};
  return {
    'content-type': version === '0.3' ? 'application/json' : 'application/a2a+json',
    'user-agent': 'Switchyard',
    'a2a-version': version,
    'x-a2a-delivery-id': `${taskId}:${encodeURIComponent(webhook.id)}:${mark}`,
    ...(scheme && credentials && { authorization: `${scheme} ${credentials}` }),
    ...(token && { 'x-a2a-notification-token': token }),
    ...(traceParent && { traceparent: traceParent }),
  };
}

/** Of the delivery's own signature, if there is one: a JWT, see `createSigner`. */
export const signatureHeader = 'x-a2a-notification-signature';
