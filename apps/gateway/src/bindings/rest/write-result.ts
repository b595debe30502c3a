import type { IncomingMessage } from 'node:http';
import Negotiator from 'negotiator';
import type { Exchange } from '../../http/exchange.ts';
import { respond, respondUnchanged } from '../../http/respond.ts';
import type { Reply } from '../../operations/operation.ts';

/** A2A 11.1 and 14.1.1: ours unless the client asks for the other one. */
const mediaTypes = ['application/a2a+json', 'application/json'];

/** Some clients read bodies, or errors alone, only as application/json, and say so in `Accept` (RFC 9110 12.5.1). */
export function mediaTypeFor({ headers: { accept } }: IncomingMessage): string {
  if (accept === undefined || accept === '*/*') return 'application/a2a+json';
  return new Negotiator({ headers: { accept } }).mediaType(mediaTypes) ?? 'application/json';
}

/** What is stored goes out as it is. A task that is read has its version as ETag, and nothing is sent to whoever has it already. */
export function writeResult({ req, res }: Exchange, { json, version }: Reply): void {
  if (version !== undefined) {
    res.setHeader('ETag', `"${version}"`);
    // Kept by nobody but the caller, and not used without asking.
    res.setHeader('Cache-Control', 'private, no-cache');
    res.setHeader('Vary', 'Accept');
  }
  if (json === undefined) respondUnchanged(res);
  else respond(res, mediaTypeFor(req), json);
}
