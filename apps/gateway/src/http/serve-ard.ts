import { createHash } from 'node:crypto';
import { invalidParams } from '@switchyard/protocol';
import { parse } from '@switchyard/protocol/schemas';
import type { AnnouncedAgent } from '@switchyard/store';
import { z } from 'zod';
import { type CatalogEntry, entryOf, manifestOf, publisherOf, registryPath } from '../agents/ard.ts';
import type { GatewayContext } from '../bindings/gateway-context.ts';
import { bodyLimits } from '../bindings/http-call.ts';
import { baseUrl } from '../exchange/addresses.ts';
import { type Handler, respond, respondUnchanged } from '../exchange/exchange.ts';
import { parseJson, readJsonText } from '../exchange/read-json.ts';
import { forCallers } from './for-callers.ts';
import { isUnchanged, setCaching } from './serve-discovery.ts';

/** ARD 6.1: `GET /.well-known/ard.json`, the same for everybody. */
export function serveManifest(context: GatewayContext): Handler {
  return (req, res) => {
    const body = JSON.stringify(manifestOf(listedAgents(context), baseUrl(req, context.settings)));
    const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
    setCaching(res, context.settings);
    res.setHeader('ETag', etag);
    // Public, and the same for everybody: crawlers in web pages may read it.
    if (!res.hasHeader('Access-Control-Allow-Origin')) res.setHeader('Access-Control-Allow-Origin', '*');
    if (isUnchanged(req.headers, { etag })) respondUnchanged(res);
    else respond(res, 'application/json', body);
  };
}

/** If callers need credentials, only the default agent is listed, whose card is public anyway. */
function listedAgents({ agents, settings, isAnonymous }: GatewayContext): readonly AnnouncedAgent[] {
  const all = settings.ard === 'all' || (settings.ard === undefined && isAnonymous);
  if (all) return agents.list();
  return agents.default ? [agents.default] : [];
}

const LONGEST_TEXT = 1_024;
const MAX_VALUES = 32;
const fields = ['identifier', 'type', 'tags', 'capabilities', 'version', 'publisher'] as const;
const value = z.string().max(256);
const filterValues = z.union([value.transform((one) => [one]), z.array(value).min(1).max(MAX_VALUES)], {
  error: `must be a text of at most 256 characters, or a list of 1 to ${MAX_VALUES} of them`,
});
const searchSchema = z.object({
  query: z.object({
    text: z.string().min(1).max(LONGEST_TEXT),
    filter: z.partialRecord(z.enum(fields), filterValues).optional(),
  }),
  // No other registry is queried, which every value allows.
  federation: z.enum(['auto', 'referrals', 'none']).optional(),
  pageSize: z.number().int().min(1).max(100).default(10),
  pageToken: z.string().optional(),
});
type Filter = NonNullable<z.output<typeof searchSchema>['query']['filter']>;

/** ARD 7.2: `POST /ard/search`, for the agents that the caller may use. @throws as `GET /agents` */
export function serveSearch(context: GatewayContext): Handler {
  return forCallers(context, 'ListAgents', async (admission, exchange) => {
    const { req, res } = exchange;
    const body = parseJson(await readJsonText(req, bodyLimits(context, exchange, admission)));
    const { query, pageSize, pageToken } = parse(searchSchema, body);
    const first = offsetIn(pageToken);
    const base = baseUrl(req, context.settings);
    const found = context.search
      .find(query.text, (id) => admission.canUse(id))
      .map(({ agent, score }) => ({ ...entryOf(agent, base), score, source: base + registryPath }))
      .filter((entry) => fits(entry, query.filter, base));
    const results = found.slice(first, first + pageSize);
    const next = first + pageSize < found.length ? { pageToken: String(first + pageSize) } : {};
    respond(res, 'application/json', JSON.stringify({ results, ...next }));
  });
}

/** ARD 7.1: an agent must match every key, with any of its values. */
function fits(entry: CatalogEntry, filter: Filter = {}, base: string): boolean {
  const values = { ...entry, publisher: publisherOf(base) };
  return fields.every((field) => {
    const asked = filter[field];
    if (asked === undefined) return true;
    const had = [values[field] ?? []].flat();
    return asked.some((one) => had.includes(one));
  });
}

function offsetIn(pageToken: string | undefined): number {
  if (pageToken === undefined || pageToken === '') return 0;
  if (/^\d{1,6}$/.test(pageToken)) return Number(pageToken);
  throw invalidParams([{ field: 'pageToken', description: 'is not a page token of this search' }]);
}
