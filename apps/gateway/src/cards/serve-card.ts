import { createHash } from 'node:crypto';
import type { AnnouncedAgent } from '@switchyard/store';
import type { RequestHandler } from 'express';
import { writeError } from '../bindings/rest/write-error.ts';
import { baseUrl } from '../http/base-url.ts';
import type { Entrance } from '../http/entrance.ts';
import { type Exchange, pathPart } from '../http/exchange.ts';
import { respond, respondUnchanged } from '../http/respond.ts';
import { requireAgent } from '../tenants/select-agent.ts';
import { agentUrl } from './agent-url.ts';
import { buildCard } from './build-card.ts';
import { grpcAddress } from './grpc-address.ts';
import { isUnchanged } from './is-unchanged.ts';

/** A2A 8.2 and 8.6: the card of the agent that the path names, for caches to keep. Public: it says how to get in. */
export function serveCard(entrance: Entrance): RequestHandler {
  return (req, res) => {
    try {
      writeCard(entrance, { req, res });
    } catch (thrown) {
      writeError(entrance, { req, res }, thrown);
    }
  };
}

function writeCard(entrance: Entrance, { req, res }: Exchange): void {
  const { agents, authenticator, settings } = entrance;
  const id = pathPart(req, 'agentId');
  const agent = requireAgent(agents, id);
  const base = baseUrl(req, settings.publicUrl);
  const surroundings = { url: agentUrl(base, id), grpcAddress: grpcAddress(entrance, base), grpcTenant: id };
  const card = JSON.stringify(buildCard(agent.card, { ...surroundings, authenticator }));
  const etag = `"${createHash('sha256').update(card).digest('base64url')}"`;
  const lastModified = lastChange(agent);
  res.setHeader('Cache-Control', `public, max-age=${settings.cardMaxAgeSeconds}`);
  res.setHeader('ETag', etag);
  res.setHeader('Last-Modified', lastModified.toUTCString());
  if (isUnchanged(req.headers, { etag, lastModified })) respondUnchanged(res);
  else respond(res, 'application/json', card);
}

/** Of the announcement, or of this gateway's settings, which can have changed when it was started. */
function lastChange({ updatedAt }: AnnouncedAgent): Date {
  return new Date(Math.max(Date.parse(updatedAt), performance.timeOrigin));
}
