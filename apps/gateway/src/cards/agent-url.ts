/** Base URL of an agent. @param id unset: the agent at the root */
export function agentUrl(base: string, id: string | undefined): string {
  return id === undefined ? base : `${base}/agents/${id}`;
}

/** Where its card is, below its base URL (A2A 8.2). */
export const cardPath = '/.well-known/agent-card.json';
