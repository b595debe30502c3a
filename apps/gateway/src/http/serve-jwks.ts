import type { PublicJwk } from '@switchyard/settings';
import type { Handler } from '../exchange/exchange.ts';
import { respond } from '../exchange/respond.ts';

/** RFC 7517 8.5.2. */
const mediaType = 'application/jwk-set+json';

/** The public half of every key that this gateway signs with, whatever it signs: one set, for caches to keep. */
export function serveJwks(keys: readonly PublicJwk[], maxAgeSeconds: number): Handler {
  const body = JSON.stringify({ keys: distinct(keys) });
  return (_req, res) => {
    res.setHeader('Cache-Control', `public, max-age=${maxAgeSeconds}`);
    respond(res, mediaType, body);
  };
}

/** One key may serve two purposes. */
function distinct(keys: readonly PublicJwk[]): PublicJwk[] {
  return [...new Map(keys.map((key) => [key.kid, key])).values()];
}
