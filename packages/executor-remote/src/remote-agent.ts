import { type Agent, type AgentDefinition, defineAgent } from '@switchyard/agent';
import { remoteCard } from './remote-card.ts';
import { remoteExecutor } from './remote-executor.ts';
import type { RemoteSettings } from './settings.ts';

/** A remote agent, and how it is announced. */
export type RemoteAgentDefinition = RemoteSettings &
  Pick<AgentDefinition, 'id' | 'repliesWithMessage' | 'concurrency' | 'turnTimeoutMs' | 'retry'> & {
    /** Replaces fields of the remote card. */
    readonly announce?: Partial<AgentDefinition['card']>;
    /** How long the start of the worker waits for the remote card, in milliseconds. Default: 30,000. */
    readonly cardTimeoutMs?: number;
  };

/**
 * A local agent in front of a remote one, announced with its card: `export default await remoteAgent({ id, cardUrl })`.
 * URLs and security of the card are the gateway's.
 * @throws {Error} when its card cannot be read, or cannot be announced
 */
export async function remoteAgent(definition: RemoteAgentDefinition): Promise<Agent> {
  const { id, announce, cardTimeoutMs = 30_000, concurrency = 100, turnTimeoutMs = 3_600_000 } = definition;
  const { repliesWithMessage = false } = definition;
  return defineAgent({
    id,
    card: { ...(await announcedCard(definition, cardTimeoutMs)), ...announce },
    repliesWithMessage,
    concurrency,
    turnTimeoutMs,
    ...(definition.retry && { retry: definition.retry }),
    execute: remoteExecutor(definition),
  });
}

/**
 * The agent's card as it is announced here: without what only holds there.
 * @param timeoutMs how long an agent is waited for that does not answer; 0: it is asked once
 * @throws {Error} that names the URL
 */
export async function announcedCard(settings: RemoteSettings, timeoutMs: number): Promise<AgentDefinition['card']> {
  const theirs = await remoteCard(settings, timeoutMs);
  const { supportedInterfaces: _, securitySchemes: __, securityRequirements: ___, signatures: ____, ...card } = theirs;
  const { pushNotifications: _____, extendedAgentCard: ______, ...capabilities } = card.capabilities;
  return { ...card, capabilities: { ...capabilities, streaming: true } };
}
