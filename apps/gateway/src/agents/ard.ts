import type { AnnouncedAgent } from '@switchyard/store';
import { agentUrl, cardPath } from './endpoints.ts';

/** Agentic Resource Discovery (docs/adr/0009): well-known path of the manifest. */
export const manifestPath = '/.well-known/ard.json';

/** The search of ARD 7.2, below the registry's URL. */
export const registryPath = '/ard/';

/** A catalog entry (ARD 4.2). */
export interface CatalogEntry {
  /** `urn:air:<domain>:agent:<id>` */
  readonly identifier: string;
  readonly displayName: string;
  /** A media type. */
  readonly type: string;
  readonly url: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly capabilities?: readonly string[];
  readonly representativeQueries?: readonly string[];
  readonly version?: string;
  /** ISO time. */
  readonly updatedAt?: string;
}

/** The manifest: an entry for each agent, and one for the search. @param base of the gateway's URLs */
export function manifestOf(agents: readonly AnnouncedAgent[], base: string): object {
  const registry: CatalogEntry = {
    identifier: urnOf(base, 'registry', 'agents'),
    displayName: 'Agents of this gateway',
    type: 'application/ai-registry+json',
    url: base + registryPath,
    description: 'Searches the agents of this gateway and their skills.',
  };
  const entries = [...agents.map((agent) => entryOf(agent, base)), registry];
  return { specVersion: '1.0', host: { displayName: new URL(base).hostname }, entries };
}

export function entryOf({ id, card, updatedAt }: AnnouncedAgent, base: string): CatalogEntry {
  const tags = [...new Set(card.skills.flatMap((skill) => skill.tags))];
  const queries = card.skills.flatMap(({ examples = [] }) => examples).slice(0, MAX_QUERIES);
  return {
    identifier: urnOf(base, 'agent', id),
    displayName: card.name,
    type: 'application/a2a-agent-card+json',
    url: agentUrl(base, id) + cardPath,
    description: card.description,
    ...(tags.length > 0 && { tags }),
    ...(card.skills.length > 0 && { capabilities: card.skills.map((skill) => skill.id) }),
    ...(queries.length >= FEWEST_QUERIES && { representativeQueries: queries }),
    version: card.version,
    updatedAt,
  };
}

/** ARD requires two to five, or none. */
const FEWEST_QUERIES = 2;
const MAX_QUERIES = 5;

/** ARD 4.2.1. Replaces characters that a URN must not contain. */
function urnOf(base: string, namespace: string, name: string): string {
  return `urn:air:${publisherOf(base)}:${namespace}:${name.replaceAll(/[^\w.-]/g, '-')}`;
}

export function publisherOf(base: string): string {
  // An IPv6 address in brackets has colons.
  return new URL(base).hostname.replaceAll(/[^\w.-]/g, '-');
}
