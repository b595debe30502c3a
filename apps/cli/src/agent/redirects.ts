import { CommandFailure } from '../failures/failure.ts';

const maxRedirects = 5;
/** Statuses after which the same request is sent again (RFC 9110 15.4.8). After others a POST becomes a GET. */
const keepsMethod: readonly number[] = [307, 308];

interface Request extends RequestInit {
  readonly hasCredentials: boolean;
}

/**
 * `fetch` that follows redirects, but takes credentials to no other origin: by the Fetch standard only `Authorization`
 * and cookies would be left out there, not an API key in a header of its own.
 * @throws {CommandFailure} an agent with credentials redirects to another origin, or a request to a page
 */
export async function fetchWithinOrigin(url: URL, { hasCredentials, ...init }: Request): Promise<Response> {
  let to = url;
  const request: RequestInit = { ...init, redirect: 'manual' };
  for (let hops = 0; hops <= maxRedirects; hops += 1) {
    const response = await fetch(to, request).catch((error: unknown) => {
      if (to === url || init.signal?.aborted) throw error;
      const text = `${url.origin} redirects to ${to.origin}, which does not answer`;
      throw new CommandFailure('A2ACLI_ERR_UNREACHABLE', text, {
        hint: 'The address is not the right one, or needs a login in a browser.',
        cause: error,
      });
    });
    const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
    if (location === null) return response;
    await response.body?.cancel();
    const next = nextUrl(location, to);
    if (next.origin !== url.origin && hasCredentials)
      throw new CommandFailure(
        'SWITCHYARD_ERR_CREDENTIAL_SCOPE',
        `${url.origin} redirects to ${next.origin}: the credentials are not sent there`,
        {
          a2aCode: response.status,
          hint: `If that is the agent's address now, name it: --agent-card ${next.origin}`,
        },
      );
    if (init.method === 'POST' && !keepsMethod.includes(response.status))
      throw new CommandFailure(
        'A2ACLI_ERR_UNREACHABLE',
        `${to.href} redirects to ${next.href} (HTTP ${response.status}), where the request would be lost`,
        {
          a2aCode: response.status,
          hint: 'The address in the card is not the right one: tell those who operate the agent.',
        },
      );
    to = next;
  }
  throw new CommandFailure('A2ACLI_ERR_UNREACHABLE', `${url.origin} redirects more than ${maxRedirects} times`);
}

function nextUrl(location: string, from: URL): URL {
  const next = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  if (next && /^https?:$/.test(next.protocol)) return next;
  throw new CommandFailure('A2ACLI_ERR_UNREACHABLE', `${from.origin} redirects to something that is no web address`);
}
