import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { A2AError, invalidParams } from '@switchyard/protocol';
import type { PublicJwk } from '@switchyard/settings';
import type { AnnouncedAgent } from '@switchyard/store';
import { requireAgent } from '../agents/agent-directory.ts';
import { agentUrl, cardPath } from '../agents/endpoints.ts';
import { withLegacyFields } from '../agents/legacy-card.ts';
import type { GatewayContext } from '../bindings/gateway-context.ts';
import { writeError } from '../bindings/rest.ts';
import { baseUrl } from '../exchange/addresses.ts';
import {
  type Exchange,
  type FailureContext,
  type Handler,
  namedVersion,
  pathPart,
  queryText,
  type RoutedRequest,
  requireKnownParameters,
  respond,
  respondUnchanged,
} from '../exchange/exchange.ts';
import type { GatewaySettings } from '../settings/gateway-settings.ts';
import { forCallers } from './for-callers.ts';

/** A2A 8.2 and 8.6: the card of the agent in the path, with caching headers. Public: it says how to authenticate. */
export function serveCard(context: GatewayContext): Handler {
  return (req, res) => writeCard(context, { req, res });
}

async function writeCard({ agents, cards, settings }: GatewayContext, { req, res }: Exchange): Promise<void> {
  const agentId = pathPart(req, 'agentId');
  const agent = requireAgent(agents, agentId);
  const { card, digest } = await cards.cardFor(agent, { base: baseUrl(req, settings), agentId });
  const isLegacy = settings.legacyV03 && !knowsVersion1(req);
  const tag = isLegacy ? `${digest}.v0` : digest;
  // Weak, because signatures differ between gateways.
  const etag = card.signatures ? `W/"${tag}"` : `"${tag}"`;
  const lastModified = lastChange(agent);
  setCaching(res, settings);
  res.setHeader('ETag', etag);
  res.setHeader('Last-Modified', lastModified.toUTCString());
  if (isUnchanged(req.headers, { etag, lastModified })) respondUnchanged(res);
  else respond(res, 'application/json', JSON.stringify(isLegacy ? withLegacyFields(card) : card));
}

/**
 * Where the card was before A2A 0.3: says where it is now. Clients that follow redirects get it.
 */
export function redirectToCard(context: GatewayContext): Handler {
  return (req, res) => {
    const url = agentUrl(baseUrl(req, context.settings), pathPart(req, 'agentId')) + cardPath;
    res.setHeader('Location', url);
    res.statusCode = 308;
    respond(res, 'application/json', JSON.stringify({ error: { code: 308, message: `The agent card is at ${url}` } }));
  };
}

/** Without a public URL the card has the request's Host, which can be forged: shared caches must not store it. */
export function setCaching(
  res: ServerResponse,
  { publicUrl, legacyV03, trustProxy, cardMaxAgeSeconds }: GatewaySettings,
): void {
  res.setHeader('Cache-Control', `${publicUrl === undefined ? 'private' : 'public'}, max-age=${cardMaxAgeSeconds}`);
  const forwarded = trustProxy ? ['X-Forwarded-Host', 'X-Forwarded-Proto'] : [];
  const varied = [...(legacyV03 ? ['A2A-Version'] : []), ...(publicUrl === undefined ? ['Host', ...forwarded] : [])];
  if (varied.length > 0) res.appendHeader('Vary', varied.join(', '));
}

/** Clients that name no version may use 0.3: they get a card for both versions. */
function knowsVersion1(req: RoutedRequest): boolean {
  return namedVersion(req)?.trim().startsWith('1.') ?? false;
}

/** The time of the announcement, or of this gateway's start, which may have changed its settings. */
function lastChange({ updatedAt }: AnnouncedAgent): Date {
  return new Date(Math.max(Date.parse(updatedAt), performance.timeOrigin));
}

interface Validators {
  /** With quotes. */
  readonly etag: string;
  readonly lastModified?: Date;
}

/**
 * Whether the client has this version (RFC 9110 13.2.2). (Express' `fresh` is false with `Cache-Control: no-cache`,
 * which `fetch` sends with every `If-None-Match`.)
 */
export function isUnchanged(headers: IncomingHttpHeaders, { etag, lastModified }: Validators): boolean {
  const known = headers['if-none-match'];
  if (known !== undefined) return known.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()));
  if (!lastModified) return false;
  const since = Date.parse(headers['if-modified-since'] ?? '');
  return since >= Math.floor(lastModified.getTime() / 1000) * 1000;
}

/** One agent in the answer to `GET /agents`. */
interface ListedAgent {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** Also served at the root. */
  readonly isDefault: boolean;
  /** Live workers; with 0, messages are accepted and wait. */
  readonly workers: number;
  readonly url: string;
  readonly card: string;
}

/**
 * `GET /agents`: the announced agents; with `?q=<text>` those that match it, the best first, with the matching skills.
 * Not part of A2A.
 */
export function serveAgentList(context: GatewayContext): Handler {
  return forCallers(context, 'ListAgents', async (admission, { req, res }) => {
    const base = baseUrl(req, context.settings);
    const first = context.agents.default?.id;
    const canUse = (id: string): boolean => admission.canUse(id);
    const text = searchedText(req);
    const show = (agent: AnnouncedAgent): ListedAgent => listed(agent, { base, isDefault: agent.id === first });
    const agents =
      text === undefined
        ? context.agents
            .list()
            .filter(({ id }) => canUse(id))
            .map(show)
        : context.search.find(text, canUse).map(({ agent, score, skills }) => ({ ...show(agent), score, skills }));
    respond(res, 'application/json', JSON.stringify({ agents }));
  });
}

const LONGEST_TEXT = 1_024;

/** @throws {A2AError} InvalidParams */
function searchedText(req: RoutedRequest): string | undefined {
  requireKnownParameters(req, ['q']);
  const text = queryText(req, 'q');
  if (text === undefined || (text.trim() !== '' && text.length <= LONGEST_TEXT)) return text;
  throw invalidParams([{ field: 'q', description: `must have 1 to ${LONGEST_TEXT} characters` }]);
}

function listed(
  { id, card, workers }: AnnouncedAgent,
  { base, isDefault }: { base: string; isDefault: boolean },
): ListedAgent {
  const { name, description, version } = card;
  const url = agentUrl(base, id);
  return { id, name, description, version, isDefault, workers, url, card: url + cardPath };
}

/** RFC 7517 8.5.2. */
const mediaType = 'application/jwk-set+json';

/** The public keys of all signing keys in one set, with caching. */
export function serveJwks(keys: readonly PublicJwk[], maxAgeSeconds: number): Handler {
  const body = JSON.stringify({ keys: distinct(keys) });
  return (_req, res) => {
    res.setHeader('Cache-Control', `public, max-age=${maxAgeSeconds}`);
    respond(res, mediaType, body);
  };
}

/** A key may have two purposes. */
function distinct(keys: readonly PublicJwk[]): PublicJwk[] {
  return [...new Map(keys.map((key) => [key.kid, key])).values()];
}

/**
 * `GET /console` on the clients' port: redirects to the operators' port, or says how to turn the console on.
 * @param consoleUrl undefined: it is off
 */
export function redirectToConsole(context: FailureContext, consoleUrl: () => string | undefined): Handler {
  return (req, res) => {
    const url = consoleUrl();
    if (url === undefined) return writeError(context, { req, res }, new A2AError('NotFound', howToGetIt));
    res.writeHead(307, { Location: url, 'Cache-Control': 'no-store', 'Content-Length': 0 }).end();
  };
}

const howToGetIt = 'The console is on the port for operators: set ADMIN_PORT and ADMIN_KEY, and do not set CONSOLE=off';
