import type { Agent } from '@switchyard/agent';
import type { AgentAnnouncement } from '@switchyard/store';

// What a worker knows of agents that run elsewhere before it loads what runs them: most workers have none.

/** Agents that run elsewhere cannot be used as they are written down; the message names each problem. */
export class ExistingAgentError extends Error {
  override readonly name = 'ExistingAgentError';
}

/** `https://host/path`, or with an id for it: `almanac=https://host/path`. */
export function isAgentUrl(source: string): boolean {
  return /^(?:[a-z0-9-]+=)?https?:\/\//i.test(source);
}

/** With agents that run elsewhere. */
export function isAgentFile(source: string): boolean {
  return /\.ya?ml$/i.test(source);
}

/** An agent whose card is somewhere else, and is looked at from `open` to `stop`. */
export interface RunsElsewhere extends Agent {
  /** Call it before the agent is announced. @param find what was announced last */
  open(find: (id: string) => Promise<AgentAnnouncement | undefined>): Promise<void>;
  stop(): Promise<void>;
}

export function runsElsewhere(agent: Agent): agent is RunsElsewhere {
  return 'open' in agent;
}
