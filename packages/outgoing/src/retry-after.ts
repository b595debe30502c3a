const MIN_MS = 1_000;
const MAX_MS = 3_600_000;

/**
 * The delay of a Retry-After header in milliseconds: a number of seconds or a date (RFC 9110 10.2.3), limited to 1 s to
 * 1 h. Undefined without a valid header.
 */
export function retryAfterMs(header: string | null | undefined): number | undefined {
  if (!header) return undefined;
  const delayMs = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(delayMs) ? undefined : Math.min(Math.max(delayMs, MIN_MS), MAX_MS);
}
