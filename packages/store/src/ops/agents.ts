import type { AgentCard } from '@switchyard/protocol';
import type { JobCounts, TenantShare } from '../queue/queues.ts';
import { type AnnouncedAgent, queuesOf } from '../registry/announcement.ts';
import { BeginRates, loadOf } from './agent-load.ts';
import type { OpsPort } from './ops-port.ts';

/** An agent and its queues: its own, and those of its skills. */
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
  /** Jobs that lately began, from look to look; 0 at the first one. */
  readonly beganPerSecond: number;
  readonly name: string;
  readonly version: string;
  readonly card: AgentCard;
  /** The parts of the counts that are in queues of skills; unset: no skill has one. */
  readonly skills?: readonly SkillQueueReading[];
}

export interface SkillQueueReading extends JobCounts {
  readonly id: string;
  /** Turns at a time of each worker; 0: the skill has lost its queue, what is left there runs one after the other. */
  readonly concurrency: number;
}

/** What there is to do for workers that run some agents: what scales them asks for it. */
export interface WorkLoad {
  /** That wait, run, or come back for a retry; of a paused agent: that run. */
  readonly jobs: number;
  /** For how long the job that is next has waited, of agents that are not paused; 0: none waits. */
  readonly oldestWaitMs: number;
}

/** Nothing can be sent to an agent that was never announced: a worker has to announce it. */
const unannounced: WorkLoad = { jobs: 1, oldestWaitMs: 0 };

/** All agents that were ever announced, and their queues. */
export class Agents {
  readonly #port: OpsPort;
  readonly #rates = new BeginRates();

  constructor(port: OpsPort) {
    this.#port = port;
  }

  /** By id. */
  async list(): Promise<AgentReading[]> {
    const announced = await this.#port.registry.list();
    return Promise.all(announced.map((agent) => this.#read(agent)));
  }

  /** Of these agents together. One that was never announced counts as a job, so that a worker is started for it. */
  async load(ids: readonly string[]): Promise<WorkLoad> {
    const known = new Map((await this.#port.registry.list()).map((agent) => [agent.id, queuesOf(agent)]));
    const loads = await Promise.all(ids.map((id) => this.#load(known.get(id))));
    return {
      jobs: loads.reduce((sum, { jobs }) => sum + jobs, 0),
      oldestWaitMs: Math.max(0, ...loads.map(({ oldestWaitMs }) => oldestWaitMs)),
    };
  }

  /** Its messages are accepted, and wait. Running turns go on. @returns undefined: no such agent */
  pause(id: string): Promise<AgentReading | undefined> {
    return this.#change(id, (queues) => this.#port.queue.pause(...queues));
  }

  /** @returns undefined: no such agent */
  resume(id: string): Promise<AgentReading | undefined> {
    return this.#change(id, (queues) => this.#port.queue.resume(...queues));
  }

  /** The tenants that have the most jobs waiting, at most twenty. @returns undefined: no such agent */
  async tenants(id: string): Promise<readonly TenantShare[] | undefined> {
    const agent = (await this.#port.registry.list()).find((each) => each.id === id);
    return agent && (await this.#port.queue.shares(...queuesOf(agent))).longest;
  }

  /** Jobs that wait for any agent, by tenant, the most first: of each agent the twenty tenants that have the most. */
  async waitingByTenant(): Promise<readonly TenantShare[]> {
    const agents = await this.#port.registry.list();
    const shares = await Promise.all(agents.map((agent) => this.#port.queue.shares(...queuesOf(agent))));
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

  async #load(queues: readonly string[] | undefined): Promise<WorkLoad> {
    if (!queues) return unannounced;
    const { queue } = this.#port;
    const [paused, { waiting, active, delayed }, { oldestWaitMs }] = await Promise.all([
      queue.isPaused(...queues),
      queue.counts(...queues),
      loadOf(this.#port, queues),
    ]);
    return paused ? { jobs: active, oldestWaitMs: 0 } : { jobs: waiting + active + delayed, oldestWaitMs };
  }

  async #change(id: string, change: (queues: readonly string[]) => Promise<void>): Promise<AgentReading | undefined> {
    const agent = (await this.#port.registry.list()).find((each) => each.id === id);
    if (!agent) return undefined;
    await change(queuesOf(agent));
    return this.#read(agent);
  }

  async #read(agent: AnnouncedAgent): Promise<AgentReading> {
    const { id, workers, card, skillQueues = {} } = agent;
    const { queue } = this.#port;
    const queues = queuesOf(agent);
    const [paused, counts, shares, look] = await Promise.all([
      queue.isPaused(...queues),
      Promise.all(queues.map((one) => queue.counts(one))),
      queue.shares(...queues),
      loadOf(this.#port, queues),
    ]);
    return {
      id,
      workers,
      paused,
      ...sumOf(counts),
      tenants: shares.count,
      longestTenant: shares.longest[0]?.waiting ?? 0,
      oldestWaitMs: look.oldestWaitMs,
      beganPerSecond: this.#rates.next(id, look),
      name: card.name,
      version: card.version,
      card,
      ...(counts.length > 1 && { skills: skillReadings(skillQueues, counts.slice(1)) }),
    };
  }
}

function sumOf(counts: readonly JobCounts[]): JobCounts {
  const sum = (name: keyof JobCounts): number => counts.reduce((total, count) => total + count[name], 0);
  return { waiting: sum('waiting'), active: sum('active'), delayed: sum('delayed') };
}

/** @param counts of their queues, in the same order */
function skillReadings(skills: Readonly<Record<string, number>>, counts: readonly JobCounts[]): SkillQueueReading[] {
  const none: JobCounts = { waiting: 0, active: 0, delayed: 0 };
  return Object.entries(skills).map(([id, concurrency], i) => ({ id, concurrency, ...(counts[i] ?? none) }));
}
