import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { cardUrlsOf, withoutNulls } from '@switchyard/protocol';
import { z } from 'zod';
import { CommandFailure } from '../failures/failure.ts';

/** A field that counts as unset if it has an odd value: the cards of other systems are odd, and the rest is of use. */
function lenient<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().catch(undefined);
}

/** The entries of a list that can be read. */
function readable<Schema extends z.ZodType>(schema: Schema) {
  return z.array(z.unknown()).transform((entries) => entries.flatMap((entry) => schema.safeParse(entry).data ?? []));
}

/** The fields of a card that the command reads; all others are unchanged. */
const cardSchema = z.looseObject({
  name: z.string(),
  description: lenient(z.string()),
  version: lenient(z.string()),
  /** Of version 0.3. */
  url: lenient(z.string()),
  protocolVersion: lenient(z.string()),
  capabilities: lenient(
    z.looseObject({
      streaming: lenient(z.boolean()),
      pushNotifications: lenient(z.boolean()),
      extendedAgentCard: lenient(z.boolean()),
      extensions: lenient(readable(z.looseObject({ uri: lenient(z.string()) }))),
    }),
  ),
  supportedInterfaces: lenient(
    readable(
      z.looseObject({
        url: z.string(),
        protocolBinding: z.string(),
        protocolVersion: lenient(z.string()),
        tenant: lenient(z.string()),
      }),
    ),
  ),
  securitySchemes: lenient(z.record(z.string(), z.looseObject({}))),
  defaultInputModes: lenient(z.array(z.string())),
  skills: lenient(
    readable(
      z.looseObject({
        id: lenient(z.string()),
        name: lenient(z.string()),
        inputModes: lenient(z.array(z.string())),
      }),
    ),
  ),
  signatures: lenient(z.array(z.unknown())),
});

export type Card = z.infer<typeof cardSchema>;
export type Capability = 'streaming' | 'pushNotifications' | 'extendedAgentCard';

/** A card as it came, and what the command reads of it. */
export interface ReadCard {
  readonly card: Card;
  /** Without fields that are null, which means unset; with fields of odd values. */
  readonly raw: unknown;
}

/** The card at a host, an origin, a URL or in a file. @throws {CommandFailure} */
export async function readCard(reference: string, version: string, send: typeof fetch): Promise<ReadCard> {
  const file = fileOf(reference);
  const text = file === undefined ? await download(urlsOf(reference), version, send) : await readText(file);
  const raw = withoutNulls(jsonIn(text, reference));
  const { data, error } = cardSchema.safeParse(raw);
  if (error)
    throw new CommandFailure('A2ACLI_ERR_CARD_INVALID', `${reference} has no Agent Card: ${z.prettifyError(error)}`);
  return { card: data, raw };
}

/** Violations of the A2A 1.0 schema; empty if there are none. */
export async function problemsOf({ card, raw }: ReadCard): Promise<readonly string[]> {
  const { agentCardSchema } = await import('@switchyard/protocol/schemas');
  const { error } = agentCardSchema.safeParse(raw);
  const problems = error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];
  if (card.supportedInterfaces?.length) return problems;
  const hint = isOfV03(card) ? ' (this is a card of A2A 0.3: call its agent with --a2a-version 0.3)' : '';
  return [...problems, `supportedInterfaces: must have an interface at which the agent can be called${hint}`];
}

/** Whether it has a URL instead of interfaces. */
export function isOfV03({ url, supportedInterfaces = [] }: Card): boolean {
  return url !== undefined && supportedInterfaces.length === 0;
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
  if (!URL.canParse(text)) throw new CommandFailure('A2ACLI_ERR_USAGE', `--agent-card: ${reference} is no address`);
  return cardUrlsOf(text).map((url) => new URL(url));
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

const whichAddress = 'Give --agent-card the origin of an agent, or the whole URL of its card.';

/** Of an agent of Switchyard, whose path has its id, the failure names it. */
function cardNotFound(urls: readonly URL[], status: number): CommandFailure {
  if (status >= 500)
    return new CommandFailure('A2ACLI_ERR_UNREACHABLE', `${urls[0]?.origin} answers with HTTP ${status}`, {
      a2aCode: status,
      hint: 'Try again in a moment.',
    });
  const [, id] = urls.map(({ pathname }) => /^\/agents\/([^/]{1,200})/.exec(pathname)).find(Boolean) ?? [];
  const missing = `There is no Agent Card at ${urls.join(' or ')} (HTTP ${status})`;
  return new CommandFailure(
    'A2ACLI_ERR_CARD_NOT_FOUND',
    id === undefined ? missing : `There is no agent ${id}: ${missing}`,
    {
      a2aCode: status,
      hint: id === undefined ? whichAddress : `${urls[0]?.origin}/agents lists the agents that are there.`,
    },
  );
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure('A2ACLI_ERR_CARD_NOT_FOUND', `Cannot read the Agent Card: ${reason}`, { cause: error });
  }
}

function jsonIn(text: string, reference: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new CommandFailure('A2ACLI_ERR_CARD_INVALID', `The Agent Card at ${reference} is not JSON`, {
      hint: whichAddress,
      cause: error,
    });
  }
}
