import { AddressPolicy, guardedClient, retryAfterMs } from '@switchyard/outgoing';
import { RemoteError } from './remote-error.ts';
import type { RemoteSettings } from './settings.ts';

/** Longest card. */
export const maxCardBytes = 1024 * 1024;
/** Longest other answer, and longest line of a stream. */
export const maxAnswerBytes = 16 * 1024 * 1024;

/** Statuses of proxies in front of the agent, and of busy agents: they are not about the request. */
const notNow: readonly number[] = [408, 425, 429, 502, 503, 504];

export interface RemoteFetchOptions {
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/**
 * `fetch` for the SDK's client. Throws a typed error for those statuses, of which the client has only the text, and
 * goes with headers of the settings to no origin that the settings do not name.
 */
export function remoteFetch(settings: RemoteSettings, options: RemoteFetchOptions): typeof fetch {
  const named = namedOrigins(settings);
  const client = guardedClient({ ...options, policy: policyOf(settings, named) });
  return async (input, init) => {
    const { origin } = new URL(input instanceof Request ? input.url : input);
    if (settings.headers && !named.includes(origin))
      throw new RemoteError('untrusted-origin', `its card leads to ${origin}, which is not among its trustedOrigins`);
    const response = await client.fetch(input, init);
    const { status, headers } = response;
    if (!notNow.includes(status)) return response;
    await response.body?.cancel();
    throw new RemoteError('unreachable', `it answers with HTTP ${status}`, {
      retryAfterMs: retryAfterMs(headers.get('retry-after')),
      mayHaveArrived: status === 408 || status === 502 || status === 504,
    });
  };
}

/** What the author of the settings has written down, and so may be called wherever it is unless a policy is given. */
function policyOf({ policy, trustedOrigins = [] }: RemoteSettings, named: readonly string[]): AddressPolicy {
  return new AddressPolicy(
    policy ? { ...policy, trustedOrigins } : { allowHttp: false, allowHosts: [], trustedOrigins: named },
  );
}

/** Those that get the headers: of the card, and further ones. */
function namedOrigins({ card, cardUrl, trustedOrigins = [] }: RemoteSettings): readonly string[] {
  const urls = cardUrl === undefined ? (card?.supportedInterfaces.map(({ url }) => url) ?? []) : [cardUrl];
  return [...urls, ...trustedOrigins].filter((url) => URL.canParse(url)).map((url) => new URL(url).origin);
}
