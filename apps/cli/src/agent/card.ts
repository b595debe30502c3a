import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { Failure } from '../failures/failure.ts';

/** The fields of a card that the command reads; all others are unchanged. */
const cardSchema = z.looseObject({
  name: z.string(),
  description: z.string().optional(),
  version: z.string().optional(),
  /** Of version 0.3. */
  url: z.string().optional(),
  protocolVersion: z.string().optional(),
  capabilities: z
    .looseObject({
      streaming: z.boolean().optional(),
      pushNotifications: z.boolean().optional(),
      extendedAgentCard: z.boolean().optional(),
      extensions: z.array(z.looseObject({ uri: z.string().optional() })).optional(),
    })
    .optional(),
  supportedInterfaces: z
    .array(
      z.looseObject({
        url: z.string(),
        protocolBinding: z.string(),
        protocolVersion: z.string().optional(),
        tenant: z.string().optional(),
      }),
    )
    .optional(),
  securitySchemes: z.record(z.string(), z.looseObject({})).optional(),
  skills: z.array(z.looseObject({ id: z.string().optional(), name: z.string().optional() })).optional(),
  signatures: z.array(z.unknown()).optional(),
});

export type Card = z.infer<typeof cardSchema>;
export type Capability = 'streaming' | 'pushNotifications' | 'extendedAgentCard';

/** The card at a host, an origin, a URL or in a file. @throws {Failure} */
export async function readCard(reference: string, version: string, send: typeof fetch): Promise<Card> {
  const file = fileOf(reference);
  const text = file === undefined ? await download(urlsOf(reference), version, send) : await readText(file);
  const { data, error } = cardSchema.safeParse(jsonIn(text, reference));
  if (error) throw new Failure('A2ACLI_ERR_CARD_INVALID', `${reference} has no Agent Card: ${z.prettifyError(error)}`);
  return data;
}

/** Violations of the A2A 1.0 schema; empty if there are none. */
export async function problemsOf(card: Card): Promise<readonly string[]> {
  const { agentCardSchema } = await import('@switchyard/protocol/schemas');
  const { error } = agentCardSchema.safeParse(card);
  return error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];
}

function fileOf(reference: string): string | undefined {
  if (reference.startsWith('file://')) return fileURLToPath(reference);
  return /^[./~]|^[^:]*\.json$/.test(reference) ? reference : undefined;
}

/**
 * Possible URLs of the card: for a host the well-known path; for a URL with a path the URL itself or the path below it.
 */
function urlsOf(reference: string): URL[] {
  const isLoopback = /^(?:localhost|127\.[\d.]+|\[::1\])(?:[:/]|$)/.test(reference);
  const text = /^https?:\/\//i.test(reference) ? reference : `${isLoopback ? 'http' : 'https'}://${reference}`;
  if (!URL.canParse(text)) throw new Failure('A2ACLI_ERR_USAGE', `--agent-card: ${reference} is no address`);
  const url = new URL(text);
  const wellKnown = new URL(url);
  wellKnown.pathname = `${url.pathname.replace(/\/$/, '')}/.well-known/agent-card.json`;
  if (url.pathname === '/') return [wellKnown];
  return url.pathname.endsWith('.json') ? [url] : [url, wellKnown];
}

/** JSON from the first URL that has it. */
async function download(urls: readonly URL[], version: string, send: typeof fetch): Promise<string> {
  let status = 0;
  for (const url of urls) {
    const response = await send(url, { headers: { accept: 'application/json', 'a2a-version': version } });
    status = response.status;
    const isJson = response.headers.get('content-type')?.includes('json') || urls.length === 1;
    if (response.ok && isJson) return response.text();
    await response.body?.cancel();
  }
  throw cardNotFound(urls, status);
}

/** Of an agent of Switchyard, whose path has its id, the failure names it. */
function cardNotFound(urls: readonly URL[], status: number): Failure {
  const [, id] = urls.map(({ pathname }) => /^\/agents\/([^/]{1,200})/.exec(pathname)).find(Boolean) ?? [];
  const missing = `There is no Agent Card at ${urls.join(' or ')} (HTTP ${status})`;
  return new Failure('A2ACLI_ERR_CARD_NOT_FOUND', id === undefined ? missing : `There is no agent ${id}: ${missing}`, {
    a2aCode: status,
    hint:
      id === undefined
        ? 'Give --agent-card the origin of an agent, or the whole URL of its card.'
        : `${urls[0]?.origin}/agents lists the agents that are there.`,
  });
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure('A2ACLI_ERR_CARD_NOT_FOUND', `Cannot read the Agent Card: ${reason}`, { cause: error });
  }
}

function jsonIn(text: string, reference: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Failure('A2ACLI_ERR_CARD_INVALID', `The Agent Card at ${reference} is not JSON`, { cause: error });
  }
}
