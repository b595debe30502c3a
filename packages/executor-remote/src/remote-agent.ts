import { type Agent, type AgentDefinition, defineAgent } from '@switchyard/agent';
import { remoteCard } from './remote-card.ts';
import { remoteExecutor } from './remote-executor.ts';
import type { RemoteSettings } from './settings.ts';

/** An agent that runs elsewhere, and how it is announced here. */
export type RemoteAgentDefinition = RemoteSettings &
  Pick<AgentDefinition, 'id' | 'repliesWithMessage' | 'concurrency' | 'turnTimeoutMs' | 'retry'> & {
    /** What the card says here instead of what it says there. */
    readonly announce?: Partial<AgentDefinition['card']>;
    /**
     * How long an agent that does not answer is waited for, in milliseconds, before its worker cannot start. Default:
     * 30,000.
     */
    readonly cardTimeoutMs?: number;
  };

/**
 * An agent of ours in front of one that runs elsewhere, announced with its card: `export default await remoteAgent({
 * id, cardUrl })`. Where its card says where it is and who may call it, ours says so of the gateway.
 * @throws {Error} when its card cannot be read, or cannot be announced
 */
export async function remoteAgent(definition: RemoteAgentDefinition): Promise<Agent> {
  const { id, announce, cardTimeoutMs = 30_000, concurrency = 100, turnTimeoutMs = 3_600_000 } = definition;
  const { repliesWithMessage = false } = definition;
  const theirs = await remoteCard(definition, cardTimeoutMs);
  const { supportedInterfaces: _, securitySchemes: __, securityRequirements: ___, signatures: ____, ...card } = theirs;
  const { pushNotifications: _____, extendedAgentCard: ______, ...capabilities } = card.capabilities;
  return defineAgent({
    id,
    card: { ...card, capabilities: { ...capabilities, streaming: true }, ...announce },
    repliesWithMessage,
    concurrency,
    turnTimeoutMs,
    ...(definition.retry && { retry: definition.retry }),
    execute: remoteExecutor(definition),
  });
}
