import { setTimeout as delay } from 'node:timers/promises';
import { AgentCard as SdkAgentCard } from '@a2a-js/sdk';
import { DefaultAgentCardResolver } from '@a2a-js/sdk/client';
import { AddressRefused, ProxyError, ResponseRefused } from '@switchyard/outgoing';
import type { AgentCard } from '@switchyard/protocol';
import { parseAgentCard } from '@switchyard/protocol/parse-agent-card';
import { CardVerificationError } from '@switchyard/signatures';
import { maxCardBytes, remoteFetch } from './remote-fetch.ts';
import { headersFor, type RemoteSettings } from './settings.ts';

/** Resolves cards for the SDK's client, and translates those of version 0.3. */
const resolver = new DefaultAgentCardResolver({ legacyCompat: { enabled: true } });

/** The card in the settings, or at their URL. */
export async function sdkCardOf(settings: RemoteSettings): Promise<SdkAgentCard> {
  return resolver.normalizeAgentCard(settings.card ?? (await fetchCard(settings)));
}

/**
 * The agent's card. Waits for an agent that does not answer yet.
 * @throws {Error} that names the URL
 */
export async function remoteCard(settings: RemoteSettings, timeoutMs: number): Promise<AgentCard> {
  for (const deadline = performance.now() + timeoutMs; ; await delay(500)) {
    try {
      const card = await sdkCardOf(settings);
      return settings.card ?? parseAgentCard(SdkAgentCard.toJSON(withVersion(card)), 'card');
    } catch (cause) {
      const mayPass = settings.cardUrl !== undefined && !isFinal(cause);
      if (mayPass && performance.now() < deadline) continue;
      const text = `The card of the remote agent cannot be read from ${settings.cardUrl}: is the agent running there?`;
      throw new Error(`${text} (${cause instanceof Error ? cause.message : cause})`, { cause });
    }
  }
}

function isFinal(error: unknown): boolean {
  if (error instanceof ProxyError) return error.isFinal;
  return [CardVerificationError, AddressRefused, ResponseRefused].some((kind) => error instanceof kind);
}

/** Many cards have an empty version, which is not valid here. */
function withVersion(card: SdkAgentCard): SdkAgentCard {
  return { ...card, version: card.version || 'unknown' };
}

async function fetchCard(settings: RemoteSettings): Promise<unknown> {
  const headers = { Accept: 'application/json', 'A2A-Version': '1.0', ...(await headersFor(settings)) };
  const fetchOnce = remoteFetch(settings, { timeoutMs: 10_000, maxBytes: maxCardBytes });
  const response = await fetchOnce(settings.cardUrl ?? '', { headers });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const card: unknown = await response.json();
  return settings.cardVerifier ? (await settings.cardVerifier.verify(card)).card : card;
}
