import { RemoteError } from './remote-error.ts';

/** Statuses of proxies in front of the agent, and of busy agents: they are not about the request. */
const notNow: readonly number[] = [408, 425, 429, 502, 503, 504];

/** `fetch` that throws a typed error for those statuses; the SDK's client has only its text. */
export const checkedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  const { status, headers } = response;
  if (!notNow.includes(status)) return response;
  await response.body?.cancel();
  throw new RemoteError('unreachable', `it answers with HTTP ${status}`, {
    retryAfterMs: retryAfter(headers.get('retry-after')),
    mayHaveArrived: status === 408 || status === 502 || status === 504,
  });
};

/** Seconds or a date (RFC 9110, 10.2.3), in milliseconds from now. */
function retryAfter(text: string | null): number | undefined {
  if (!text) return undefined;
  const seconds = Number(text);
  const waitMs = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(text) - Date.now();
  return waitMs >= 0 ? waitMs : undefined;
}
