import type { ShardKeys } from '../redis/keys.ts';

/** The queue of all remote agents, which are called by the URL of their card. No local agent can have this id. */
export const REMOTE_AGENTS = '@remote';

/** The agent id in the tasks of a remote agent. */
export function remoteAgentId(cardUrl: string): string {
  return `@${cardUrl}`;
}

/** The card URL in a remote agent's id; undefined for a local agent. */
export function cardUrlOf(agent: string): string | undefined {
  return /^@https?:/.test(agent) ? agent.slice(1) : undefined;
}

/** The prefix of the keys of an agent's queue on one shard. */
export function queueRoot(agent: string, keys: ShardKeys): string {
  return `${keys.queues}:${queueOf(agent)}:`;
}

/** Remote agents are many, and share one queue. */
export function queueOf(agent: string): string {
  return cardUrlOf(agent) === undefined ? agent : REMOTE_AGENTS;
}
