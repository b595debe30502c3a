import { setTimeout as delay } from 'node:timers/promises';
import { AgentCard as SdkAgentCard } from '@a2a-js/sdk';
import { DefaultAgentCardResolver } from '@a2a-js/sdk/client';
import { type AgentCard, cardUrlsOf, withoutNulls } from '@switchyard/protocol';
import { type ForeignCard, readForeignCard } from '@switchyard/protocol/schemas';
import { CardVerificationError } from '@switchyard/signatures';
import { isObject, type JsonObject } from './answers/mend.ts';
import { jsonIn } from './answers/read-answer.ts';
import { RemoteError } from './answers/remote-error.ts';
import { type ChosenInterface, chooseInterface } from './choose-interface.ts';
import { maxCardBytes, refusal, remoteFetch } from './remote-fetch.ts';
import { headersFor, type RemoteSettings } from './settings.ts';

/** A remote agent's card, what was left out of it, and the interface to call. */
export interface RemoteCard extends ForeignCard {
  readonly chosen: ChosenInterface;
}

/** The card of a remote agent cannot be used. The message names its URL, and the reason. */
export class RemoteCardError extends Error {
  override readonly name = 'RemoteCardError';
  /** The agent, or its proxy, did not answer: it may do so later. Otherwise its card is at fault, or its address. */
  readonly isUnreachable: boolean;

  constructor(cardUrl: string | undefined, cause: RemoteError) {
    const text = cause.isTemporary
      ? `cannot be read from ${cardUrl}: is the agent running there? (${cause.message})`
      : `${cardUrl === undefined ? 'in the settings' : `at ${cardUrl}`} cannot be used: ${cause.message}`;
    super(`The card of the remote agent ${text}`, { cause });
    this.isUnreachable = cause.isTemporary;
  }
}

/** The card in the settings, or at their URL. @throws {RemoteError} */
export async function readCard(settings: RemoteSettings): Promise<RemoteCard> {
  const raw = settings.card ?? (await fetchCard(settings));
  const { card, problems } = foreignCard(raw);
  return { card, problems, chosen: chooseInterface(card, settings) };
}

/**
 * The agent's card. Waits for an agent that does not answer yet.
 * @throws {RemoteCardError}
 */
export async function remoteCard(settings: RemoteSettings, timeoutMs: number): Promise<RemoteCard> {
  for (const deadline = performance.now() + timeoutMs; ; await delay(500)) {
    try {
      return await readCard(settings);
    } catch (error) {
      const cause = RemoteError.from(error);
      if (cause.isTemporary && settings.cardUrl !== undefined && performance.now() < deadline) continue;
      throw new RemoteCardError(settings.cardUrl, cause);
    }
  }
}

function foreignCard(raw: unknown): ForeignCard {
  try {
    return readForeignCard(isLegacy(raw) ? translated(raw) : raw);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RemoteError('refused', `it is not an agent card: ${reason}`, { cause });
  }
}

/** A card of 0.3, which has no interfaces, but a URL. */
function isLegacy(raw: unknown): raw is JsonObject {
  if (!isObject(raw)) return false;
  const { supportedInterfaces, supported_interfaces: other, url } = raw;
  return [supportedInterfaces ?? other ?? []].flat().length === 0 && typeof url === 'string';
}

const resolver = new DefaultAgentCardResolver({ legacyCompat: { enabled: true } });

/** The card of 0.3 as one of 1.0. Security that the SDK cannot translate is left out. */
function translated(raw: JsonObject): unknown {
  const { supportedInterfaces: _, securitySchemes, security, ...rest } = Object(withoutNulls(raw));
  const lists = ['defaultInputModes', 'defaultOutputModes', 'additionalInterfaces'];
  const card = {
    capabilities: {},
    ...rest,
    ...Object.fromEntries(lists.map((name) => [name, Array.isArray(rest[name]) ? rest[name] : []])),
    skills: [rest.skills ?? []].flat().filter(isObject).map(skill),
  };
  try {
    return SdkAgentCard.toJSON(resolver.normalizeAgentCard({ ...card, securitySchemes, security }));
  } catch {
    return SdkAgentCard.toJSON(resolver.normalizeAgentCard(card));
  }
}

function skill({ security: _, ...rest }: JsonObject): JsonObject {
  const lists = ['tags', 'examples', 'inputModes', 'outputModes'];
  return { ...rest, ...Object.fromEntries(lists.map((name) => [name, Array.isArray(rest[name]) ? rest[name] : []])) };
}

/** The card at the URL or, if that is the URL of the agent, at its well-known path. */
async function fetchCard(settings: RemoteSettings): Promise<unknown> {
  const urls = cardUrlsOf(settings.cardUrl ?? '');
  let failure: RemoteError | undefined;
  for (const url of urls) {
    try {
      return await cardAt(url, settings);
    } catch (error) {
      if (error instanceof CardVerificationError) throw new RemoteError('refused', error.message, { cause: error });
      failure = RemoteError.from(error);
      if (failure.isTemporary) throw failure;
    }
  }
  throw failure;
}

/** Nothing was asked of the agent but its card. */
function noCard(problem: string, cause?: unknown): RemoteError {
  return new RemoteError('refused', `its answer is no agent card (${problem})`, { cause });
}

async function cardAt(url: string, settings: RemoteSettings): Promise<unknown> {
  const headers = { Accept: 'application/json', 'A2A-Version': '1.0', ...(await headersFor(settings)) };
  const fetchOnce = remoteFetch(settings, { timeoutMs: 10_000, maxBytes: maxCardBytes });
  const response = await fetchOnce(url, { headers });
  const text = await response.text();
  if (!response.ok) throw refusal(response, text, url);
  const card: unknown = jsonIn(text, noCard);
  if (!isObject(card)) throw noCard('it is not an object');
  return settings.cardVerifier ? (await settings.cardVerifier.verify(card)).card : card;
}

/** The card for the SDK's client, with the one interface to call. */
export function sdkCard({ card, chosen }: RemoteCard): SdkAgentCard {
  const { at, binding, version } = chosen;
  const supportedInterfaces: AgentCard['supportedInterfaces'] = [
    { ...at, protocolBinding: binding, protocolVersion: version },
  ];
  const { name, capabilities } = card;
  return SdkAgentCard.fromJSON({ name, capabilities, supportedInterfaces });
}
