import type { AnnouncedAgent, Registry } from '@switchyard/store';
import type { Deployment } from './deployment.ts';
import { subscribeToEach } from './subscribe-to-each.ts';

/** The agents of several deployments. While one is away, those that it had last count. */
export class UnitedRegistry implements Pick<Registry, 'list' | 'onChange'> {
  readonly #deployments: readonly Deployment[];
  readonly #known = new Map<number, readonly AnnouncedAgent[]>();

  constructor(deployments: readonly Deployment[]) {
    this.#deployments = deployments;
  }

  /** Of all agents that were listed. */
  get ids(): readonly string[] {
    return [...new Set([...this.#known.values()].flat().map(({ id }) => id))];
  }

  /** Whether each deployment was read once: otherwise there may be further agents. */
  get isWhole(): boolean {
    return this.#known.size === this.#deployments.length;
  }

  /** Whether an agent is announced in a deployment; true also as long as that is not known. */
  has(deployment: number, agent: string): boolean {
    return this.#known.get(deployment)?.some(({ id }) => id === agent) ?? true;
  }

  /** All agents by id: each as it was announced last, with the workers of all deployments. */
  async list(): Promise<AnnouncedAgent[]> {
    await Promise.all(this.#deployments.map((each) => this.#read(each)));
    const united = new Map<string, AnnouncedAgent>();
    for (const agent of [...this.#known.values()].flat()) {
      const other = united.get(agent.id);
      const latest = other && other.updatedAt > agent.updatedAt ? other : agent;
      united.set(agent.id, { ...latest, workers: agent.workers + (other?.workers ?? 0) });
    }
    return [...united.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Also calls `listener` when a deployment is reached that was away. */
  async onChange(listener: () => void): Promise<() => void> {
    return subscribeToEach(this.#deployments, ({ store }) => store.registry.onChange(listener), listener);
  }

  async #read(deployment: Deployment): Promise<void> {
    if (!deployment.isAnswering) return;
    // It has just gone away: its last agents count.
    const agents = await deployment.requests.inside.registry.list().catch(() => undefined);
    if (agents) this.#known.set(deployment.number, agents);
  }
}
