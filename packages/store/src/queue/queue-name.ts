import type { ShardKeys } from '../redis/keys.ts';

/**
 * The queue of agents that run elsewhere and are called by the URL of their card: no agent of ours can have this name.
 */
export const ELSEWHERE = '@elsewhere';

/** Under which name an agent that is called by a URL has its tasks. */
export function elsewhereId(cardUrl: string): string {
  return `@${cardUrl}`;
}

/** The URL of an agent that has its tasks under this name; undefined for an agent of ours. */
export function cardUrlOf(agent: string): string | undefined {
  return /^@https?:/.test(agent) ? agent.slice(1) : undefined;
}

/** What the keys of an agent's queue on one shard begin with. */
export function queueRoot(agent: string, keys: ShardKeys): string {
  return `${keys.queues}:${queueOf(agent)}:`;
}

/** Agents elsewhere are many, and share a queue; every other has its own. */
export function queueOf(agent: string): string {
  return cardUrlOf(agent) === undefined ? agent : ELSEWHERE;
}
