import { A2AError } from '@switchyard/protocol';
import type { AnnouncedAgent, Registry } from '@switchyard/store';
import type { Admission } from '../admission/admission.ts';
import type { Emit } from '../telemetry/events.ts';
import { toA2AError } from '../telemetry/failures.ts';

export interface AgentDirectorySettings {
  readonly defaultAgent?: string | undefined;
  readonly agentRefreshMs: number;
}

interface AnnouncedAgents extends Pick<Registry, 'list' | 'onChange'> {
  /** False while a deployment that may have further agents has not been read. */
  readonly isWhole?: boolean;
}

/** The announced agents, cached so that no request waits for the registry. */
export class AgentDirectory {
  readonly #registry: AnnouncedAgents;
  readonly #settings: AgentDirectorySettings;
  readonly #emit: Emit;
  #agents: ReadonlyMap<string, AnnouncedAgent> = new Map();
  #reading: Promise<void> | undefined;
  readonly #listeners = new Set<() => void>();
  #isStale = false;
  #timer: NodeJS.Timeout | undefined;
  #unsubscribe: (() => void) | undefined;

  constructor(registry: AnnouncedAgents, settings: AgentDirectorySettings, emit: Emit) {
    this.#registry = registry;
    this.#settings = settings;
    this.#emit = emit;
  }

  /** Subscribes before it reads, so that no change is missed. Rejects if the registry cannot be read. */
  async start(): Promise<void> {
    this.#unsubscribe = await this.#registry.onChange(() => this.#refresh());
    await this.#read();
    // A crashed worker announces no change: only reading again finds it.
    this.#timer = setInterval(() => this.#refresh(), this.#settings.agentRefreshMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  /** Calls `listener` when agents are added, removed or changed. @returns a function that ends this */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** False: there may be agents that `find` does not find. */
  get isWhole(): boolean {
    return this.#registry.isWhole ?? true;
  }

  find(id: string): AnnouncedAgent | undefined {
    return this.#agents.get(id);
  }

  /** The default agent: the one in the settings, or the first by name. */
  get default(): AnnouncedAgent | undefined {
    const { defaultAgent } = this.#settings;
    return defaultAgent === undefined ? this.#agents.values().next().value : this.#agents.get(defaultAgent);
  }

  /** By id. */
  list(): AnnouncedAgent[] {
    return [...this.#agents.values()];
  }

  /** Changes during a read cause one further read, however many they are. */
  #refresh(): void {
    this.#isStale = true;
    this.#reading ??= this.#readUntilFresh().finally(() => {
      this.#reading = undefined;
    });
  }

  async #readUntilFresh(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      await this.#read().catch((err: unknown) => this.#emit({ kind: 'agents-unreadable', err }));
    }
  }

  async #read(): Promise<void> {
    const before = [...this.#agents.keys()].join();
    const announcedBefore = announcementsIn(this.#agents.values());
    const announced = await this.#registry.list();
    this.#agents = new Map(announced.map((agent) => [agent.id, agent]));
    const agents = [...this.#agents.keys()];
    if (agents.join() !== before) this.#emit({ kind: 'agents-changed', agents });
    if (announcementsIn(announced) !== announcedBefore) for (const listener of this.#listeners) listener();
  }
}

/** The agents, and the times of their announcements. */
function announcementsIn(agents: Iterable<AnnouncedAgent>): string {
  return Array.from(agents, ({ id, updatedAt }) => `${id} ${updatedAt}`).join();
}

/** How a request names its agent. */
export interface AgentSelector {
  /** From the path, as in `/agents/<id>`; unset: the default agent. */
  readonly agentId?: string | undefined;
  /** `tenant` of the request (A2A 4.4.6), not validated: the operation refuses other types than strings. */
  readonly tenant?: unknown;
}

/**
 * A tenant is an agent's id, or the caller's own tenant, which selects nothing. Any other is NotFound, also if it
 * exists for other callers (A2A 3.3.2); so are agents that the caller may not use.
 * @throws {A2AError} NotFound; Unavailable while no worker has announced the default agent, or a deployment is away that
 * may have the agent
 */
function selectAgent(
  agents: AgentDirectory,
  caller: Pick<Admission, 'principal' | 'canUse'>,
  { agentId, tenant }: AgentSelector,
): AnnouncedAgent {
  if (typeof tenant !== 'string' || tenant === '') return requireAgent(agents, agentId, caller);
  const named = caller.canUse(tenant) && agents.find(tenant);
  if (named && (agentId === undefined || agentId === tenant)) return named;
  if (tenant === caller.principal.tenant) return requireAgent(agents, agentId, caller);
  if (!agents.isWhole && caller.canUse(tenant)) throw maybeAway();
  const hint = tenant === 'v1' ? '; paths below /v1 are those of A2A 0.3, with A2A-Version 0.3 or none' : '';
  throw new A2AError('NotFound', `There is no such tenant${hint}`, {
    violations: [{ field: 'tenant', description: 'is neither an agent of this gateway nor the tenant of the caller' }],
  });
}

/**
 * @param id unset: the default agent, or the first that the caller may use
 * @param caller agents that it may not use do not exist for it; unset: all exist
 * @throws {A2AError} NotFound; Unavailable as for `selectAgent`
 */
export function requireAgent(
  agents: AgentDirectory,
  id: string | undefined,
  caller?: Pick<Admission, 'canUse'>,
): AnnouncedAgent {
  const mayUse = (agent: AnnouncedAgent): boolean => caller?.canUse(agent.id) ?? true;
  if (id === undefined) return requireAgentAtRoot(agents, mayUse);
  const agent = agents.find(id);
  if (agent && mayUse(agent)) return agent;
  if (!agents.isWhole && (caller?.canUse(id) ?? true)) throw maybeAway();
  const name = id.slice(0, 64);
  throw new A2AError('NotFound', `There is no agent "${name}" here`, { metadata: { agent: name } });
}

function maybeAway(): A2AError {
  return new A2AError('Unavailable', 'A deployment that may have this agent is away', { retryAfterSeconds: 5 });
}

function requireAgentAtRoot(agents: AgentDirectory, mayUse: (agent: AnnouncedAgent) => boolean): AnnouncedAgent {
  const { default: atRoot } = agents;
  if (!atRoot)
    throw new A2AError('Unavailable', 'No worker has announced the default agent yet', {
      retryAfterSeconds: 5,
    });
  const agent = mayUse(atRoot) ? atRoot : agents.list().find(mayUse);
  if (!agent) throw new A2AError('NotFound', 'This gateway has no agent that you may use');
  return agent;
}

/** The agent that a caller names. If it does not exist for the caller, this is audited. @throws {A2AError} */
export function agentOfCall(agents: AgentDirectory, admission: Admission, selector: AgentSelector): AnnouncedAgent {
  try {
    return selectAgent(agents, admission, selector);
  } catch (thrown) {
    const { agentId, tenant } = selector;
    const named = typeof tenant === 'string' && tenant !== '' ? tenant : agentId;
    const outcome = toA2AError(thrown).code;
    if (outcome === 'NotFound') {
      const reason = reasonOf(agents, admission, [named, agentId]);
      admission.audit({ what: 'refused', outcome, reason, agent: named?.slice(0, 128) });
    }
    throw thrown;
  }
}

/** Why an agent does not exist for a caller: only the operator learns whether it exists for others. */
function reasonOf(agents: AgentDirectory, caller: Pick<Admission, 'canUse'>, named: (string | undefined)[]): string {
  const ids = named.filter((id) => id !== undefined);
  if (ids.length === 0) return 'The credential lists none of the agents here';
  if (ids.some((id) => agents.find(id) && !caller.canUse(id))) return 'The credential does not list this agent';
  return 'There is no such agent';
}
