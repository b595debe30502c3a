import type { Reply } from '../exchange.ts';
import { failed, type Outcome, succeeded } from '../outcome.ts';

/** An answer with another status than 2xx: counted by that status, whatever is in it. */
export function refusal({ status, headers, body }: Reply): Outcome<never> {
  const { failure } = failed(`HTTP ${status}`, body.trim() || `HTTP ${status} without a body`);
  const seconds = Number(headers['retry-after'] ?? Number.NaN);
  return { ok: false, failure: Number.isFinite(seconds) ? { ...failure, retryAfterMs: seconds * 1_000 } : failure };
}

export function isRefused({ status }: Reply): boolean {
  return status < 200 || status > 299;
}

export function readJson(text: string): Outcome<unknown> {
  try {
    return succeeded(JSON.parse(text));
  } catch {
    return failed('unreadable answer', text || 'an empty body'); // what is not JSON is told like what is not A2A
  }
}
