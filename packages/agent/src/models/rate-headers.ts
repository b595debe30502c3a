/** Longest wait that a server is believed, in milliseconds: an hour. */
const maxWaitMs = 3_600_000;

/** Headers that say what is left of a limit, and when it is full again. */
const limits: readonly (readonly [remaining: string, reset: string])[] = [
  ...['requests', 'tokens'].map((what) => [`x-ratelimit-remaining-${what}`, `x-ratelimit-reset-${what}`] as const),
  ...['requests', 'tokens', 'input-tokens', 'output-tokens'].map(
    (what) => [`anthropic-ratelimit-${what}-remaining`, `anthropic-ratelimit-${what}-reset`] as const,
  ),
];

/**
 * Milliseconds that the server asks to wait: `retry-after-ms`, `retry-after` (seconds or a date, RFC 9110, 10.2.3), or
 * else until its limits of which nothing is left are full again.
 */
export function waitIn(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? '';
  const candidates = [number(headers.get('retry-after-ms')), number(text) * 1000, Date.parse(text) - Date.now()];
  const waitMs = candidates.find((ms) => Number.isFinite(ms) && ms >= 0);
  return waitMs === undefined ? spentFor(headers) : Math.min(Math.ceil(waitMs), maxWaitMs);
}

/** Milliseconds until those limits are full again of which nothing is left; undefined: there are none. */
export function spentFor(headers: Headers): number | undefined {
  const waits = limits
    .filter(([remaining]) => number(headers.get(remaining)) === 0)
    .map(([, reset]) => resetMs(headers.get(reset) ?? ''))
    .filter((ms) => ms > 0);
  return waits.length > 0 ? Math.min(Math.ceil(Math.max(...waits)), maxWaitMs) : undefined;
}

const unitMs: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/** Milliseconds in `6m0s`, `120ms` or `1.5` (seconds), or until a date or a time in seconds or ms since 1970. */
function resetMs(text: string): number {
  const value = number(text);
  if (value >= 1e12) return value - Date.now();
  if (value >= 1e9) return value * 1000 - Date.now();
  if (Number.isFinite(value)) return value * 1000;
  if (/^(?:\d+(?:\.\d+)?(?:ms|[dhms]))+$/.test(text))
    return [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[dhms])/gy)].reduce(
      (sum, [, amount, unit = '']) => sum + Number(amount) * (unitMs[unit] ?? 0),
      0,
    );
  return Date.parse(text) - Date.now();
}

function number(text: string | null): number {
  return text?.trim() ? Number(text) : Number.NaN;
}
