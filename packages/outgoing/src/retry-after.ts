const LEAST_MS = 1_000;
const MOST_MS = 3_600_000;

/**
 * What a Retry-After header asks for, in milliseconds from now: seconds, or a date (RFC 9110 10.2.3). Never less than a
 * second and never more than an hour, whatever it says.
 */
export function retryAfterMs(header: string | null | undefined): number | undefined {
  if (!header) return undefined;
  const askedMs = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(askedMs) ? undefined : Math.min(Math.max(askedMs, LEAST_MS), MOST_MS);
}
