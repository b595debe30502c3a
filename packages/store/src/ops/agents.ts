import { queueRoot } from '../queue/job.ts';
import type { JobCounts, TenantShare } from '../queue/queues.ts';
import type { OpsPort } from './ops-port.ts';

/** An agent and its queue. */
export interface AgentReading extends JobCounts {
  readonly id: string;
  /** Workers that are alive and can run it. */
  readonly workers: number;
  readonly paused: boolean;
  /** Tenants that wait with more than a turn, on the shard that has the most of them. */
  readonly tenants: number;
  /** Jobs that wait of the tenant that has the most of them. */
  readonly longestTenant: number;
  /** For how long the job that is next has waited; 0: none waits. */
  readonly oldestWaitMs: number;
}

/** All agents that were ever announced, and their queues. */
export class Agents {
  readonly #port: OpsPort;

  constructor(port: OpsPort) {
    this.#port = port;
  }

  /** By id. */
  async list(): Promise<AgentReading[]> {
    const announced = await this.#port.registry.list();
    return Promise.all(announced.map(({ id, workers }) => this.#read(id, workers)));
  }

  /** Its messages are accepted, and wait. Running turns go on. @returns undefined: no such agent */
  pause(id: string): Promise<AgentReading | undefined> {
    return this.#change(id, () => this.#port.queue.pause(id));
  }

  /** @returns undefined: no such agent */
  resume(id: string): Promise<AgentReading | undefined> {
    return this.#change(id, () => this.#port.queue.resume(id));
  }

  /** The tenants that have the most jobs waiting, at most twenty. @returns undefined: no such agent */
  async tenants(id: string): Promise<readonly TenantShare[] | undefined> {
    const isKnown = (await this.#port.registry.list()).some((each) => each.id === id);
    return isKnown ? (await this.#port.queue.shares(id)).longest : undefined;
  }

  /** Jobs that wait for any agent, by tenant, the most first: of each agent the twenty tenants that have the most. */
  async waitingByTenant(): Promise<readonly TenantShare[]> {
    const ids = await this.#port.registry.ids();
    const shares = await Promise.all(ids.map((id) => this.#port.queue.shares(id)));
    const byTenant = Map.groupBy(
      shares.flatMap(({ longest }) => longest),
      ({ tenant }) => tenant,
    );
    const sums = [...byTenant].map(([tenant, some]) => ({
      tenant,
      waiting: some.reduce((sum, { waiting }) => sum + waiting, 0),
    }));
    return sums.sort((a, b) => b.waiting - a.waiting);
  }

  async #change(id: string, change: () => Promise<void>): Promise<AgentReading | undefined> {
    const agent = (await this.#port.registry.list()).find((each) => each.id === id);
    if (!agent) return undefined;
    await change();
    return this.#read(id, agent.workers);
  }

  async #read(id: string, workers: number): Promise<AgentReading> {
    const { queue } = this.#port;
    const [paused, counts, shares, oldestWaitMs] = await Promise.all([
      queue.isPaused(id),
      queue.counts(id),
      queue.shares(id),
      this.#oldestWaitMs(id),
    ]);
    const longestTenant = shares.longest[0]?.waiting ?? 0;
    return { id, workers, paused, ...counts, tenants: shares.count, longestTenant, oldestWaitMs };
  }

  async #oldestWaitMs(id: string): Promise<number> {
    const { shards, loads } = this.#port;
    const looks = await Promise.all(shards.all.map((keys) => loads.look(queueRoot(id, keys))));
    return Math.max(...looks.map(({ ageMs }) => ageMs));
  }
}
