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
