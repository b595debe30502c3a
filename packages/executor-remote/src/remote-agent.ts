import { type Agent, type AgentDefinition, defineAgent } from '@switchyard/agent';
import { type SettingCheck, settingCheck } from '@switchyard/agent/runtime';
import { remoteCard } from './remote-card.ts';
import { executeRemotely } from './remote-executor.ts';
import { checkRemoteSettings, type RemoteSettings } from './settings.ts';

/** The settings of a remote agent, and of its announcement. */
export type RemoteAgentDefinition = RemoteSettings &
  Pick<AgentDefinition, 'id' | 'repliesWithMessage' | 'concurrency' | 'turnTimeoutMs' | 'retry'> & {
    /** Replaces fields of the remote card. */
    readonly announce?: Partial<AgentDefinition['card']>;
    /** How long the start of the worker waits for the remote card, in milliseconds. Default: 30,000. */
    readonly cardTimeoutMs?: number;
  };

/** `defineAgent` checks what is not of the remote agent. */
const definitionChecks = {
  id: settingCheck.required(settingCheck.text),
  repliesWithMessage: settingCheck.any,
  concurrency: settingCheck.any,
  turnTimeoutMs: settingCheck.any,
  retry: settingCheck.any,
  announce: settingCheck.object,
  cardTimeoutMs: settingCheck.atLeast(0),
} satisfies Record<Exclude<keyof RemoteAgentDefinition, keyof RemoteSettings>, SettingCheck>;

/**
 * A local agent in front of a remote one, announced with its card: `export default await remoteAgent({ id, cardUrl })`.
 * The gateway replaces the card's URLs and security.
 * @throws {Error} its card cannot be read, or cannot be announced
 */
export async function remoteAgent(definition: RemoteAgentDefinition): Promise<Agent> {
  checkRemoteSettings('remoteAgent', definition, definitionChecks);
  const { id, announce, cardTimeoutMs = 30_000, concurrency = 100, turnTimeoutMs = 3_600_000 } = definition;
  const { repliesWithMessage = false } = definition;
  return defineAgent({
    id,
    card: { ...(await announcedCard(definition, cardTimeoutMs)).card, ...announce },
    repliesWithMessage,
    concurrency,
    turnTimeoutMs,
    ...(definition.retry && { retry: definition.retry }),
    execute: executeRemotely(definition),
  });
}

/** A remote agent's card as it is announced here. */
export interface AnnouncedCard {
  /** Without interfaces, security, signatures, and capabilities that only the remote server has. */
  readonly card: AgentDefinition['card'];
  /** Fields that are not valid, and were left out. */
  readonly problems: readonly string[];
}

/**
 * @param timeoutMs how long to wait for an agent that does not answer; 0: one request
 * @throws {RemoteCardError}
 */
export async function announcedCard(settings: RemoteSettings, timeoutMs: number): Promise<AnnouncedCard> {
  const { card: theirs, problems } = await remoteCard(settings, timeoutMs);
  const { supportedInterfaces: _, securitySchemes: __, securityRequirements: ___, signatures: ____, ...card } = theirs;
  const { pushNotifications: _____, extendedAgentCard: ______, ...capabilities } = card.capabilities;
  return { card: { ...card, capabilities: { ...capabilities, streaming: true } }, problems };
}
