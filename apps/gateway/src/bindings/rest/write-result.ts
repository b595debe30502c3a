import type { Exchange } from '../../http/exchange.ts';
import { respond, respondUnchanged } from '../../http/respond.ts';
import type { Reply } from '../../operations/operation.ts';

/** A2A 11.1 and 14.1.1. */
export const mediaType = 'application/a2a+json';

/** What is stored goes out as it is. A task that is read has its version as ETag, and nothing is sent to whoever has it already. */
export function writeResult({ res }: Exchange, { json, version }: Reply): void {
  if (version !== undefined) {
    res.setHeader('ETag', `"${version}"`);
    // Kept by nobody but the caller, and not used without asking.
    res.setHeader('Cache-Control', 'private, no-cache');
  }
  if (json === undefined) respondUnchanged(res);
  else respond(res, mediaType, json);
}
