import { AddressPolicy, guardedClient, retryAfterMs } from '@switchyard/outgoing';
import { RemoteError } from './remote-error.ts';
import type { RemoteSettings } from './settings.ts';

/** Largest card. */
export const maxCardBytes = 1024 * 1024;
/** Largest other answer, and longest line of a stream. */
export const maxAnswerBytes = 16 * 1024 * 1024;

/** Statuses of proxies in front of the agent, and of busy agents: a retry may succeed. */
const temporaryStatuses: readonly number[] = [408, 425, 429, 502, 503, 504];

export interface RemoteFetchOptions {
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/**
 * `fetch` for the SDK's client. Throws a typed error for temporary statuses, of which the client would keep only the
 * text, and sends headers of the settings only to origins that the settings name.
 */
export function remoteFetch(settings: RemoteSettings, options: RemoteFetchOptions): typeof fetch {
  const named = namedOrigins(settings);
  const client = guardedClient({ ...options, policy: policyOf(settings, named) });
  return async (input, init) => {
    const { origin } = new URL(input instanceof Request ? input.url : input);
    if (settings.headers && !named.includes(origin))
      throw new RemoteError('untrusted-origin', `its card names ${origin}, which is not one of the trustedOrigins`);
    const response = await client.fetch(input, init);
    const { status, headers } = response;
    if (!temporaryStatuses.includes(status)) return response;
    await response.body?.cancel();
    throw new RemoteError('unreachable', `it answers with HTTP ${status}`, {
      retryAfterMs: retryAfterMs(headers.get('retry-after')),
      mayHaveArrived: status === 408 || status === 502 || status === 504,
    });
  };
}

/** Origins that the settings name may be called even at private addresses, unless the settings have a policy. */
function policyOf({ policy, trustedOrigins = [] }: RemoteSettings, named: readonly string[]): AddressPolicy {
  return new AddressPolicy(
    policy ? { ...policy, trustedOrigins } : { allowHttp: false, allowHosts: [], trustedOrigins: named },
  );
}

/** The origins that get the headers: those of the card, and `trustedOrigins`. */
function namedOrigins({ card, cardUrl, trustedOrigins = [] }: RemoteSettings): readonly string[] {
  const urls = cardUrl === undefined ? (card?.supportedInterfaces.map(({ url }) => url) ?? []) : [cardUrl];
  return [...urls, ...trustedOrigins].filter((url) => URL.canParse(url)).map((url) => new URL(url).origin);
}
