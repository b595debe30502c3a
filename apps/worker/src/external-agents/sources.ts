import type { Agent } from '@switchyard/agent';
import type { RemoteProblem } from '@switchyard/operators';
import type { AgentAnnouncement } from '@switchyard/store';

// Recognizes agents that run elsewhere, without loading the code that runs them: most workers have none.

/** The settings of agents that run elsewhere cannot be used; the message names each problem. */
export class ExternalAgentError extends Error {
  override readonly name = 'ExternalAgentError';
}

/** `https://host/path`, or with an id for it: `almanac=https://host/path`. */
export function isAgentUrl(source: string): boolean {
  return /^(?:[a-z0-9-]+=)?https?:\/\//i.test(source);
}

/** Whether it is a file that lists agents that run elsewhere. */
export function isAgentFile(source: string): boolean {
  return /\.ya?ml$/i.test(source);
}

/** An agent that runs elsewhere, and whose card is read there from `open` to `stop`. */
export interface ExternalAgent extends Agent {
  /** Call it before the agent is announced. @param find finds the announcement of an agent in the registry */
  open(find: (id: string) => Promise<AgentAnnouncement | undefined>): Promise<void>;
  stop(): Promise<void>;
  /** As its card was read last; undefined: it can be used, or was not asked yet. */
  readonly problem: RemoteProblem | undefined;
}

/** The problems of those that have one, by id. */
export function remoteProblemsOf(agents: readonly Agent[]): Readonly<Record<string, RemoteProblem>> {
  const external = agents.filter(isExternalAgent);
  return Object.fromEntries(external.flatMap(({ id, problem }) => (problem ? [[id, problem]] : [])));
}

export function isExternalAgent(agent: Agent): agent is ExternalAgent {
  return 'open' in agent;
}
