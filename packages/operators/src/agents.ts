import type { AgentCard, JsonSchema } from '@switchyard/protocol';
import { type AnnouncedAgent, type JobCounts, queuesOf, sumOfJobs } from '@switchyard/store/inside';
import { BeginRates, loadOf } from './agent-load.ts';
import type { TenantShare } from './agent-queues.ts';
import { hasUncopied } from './archiver.ts';
import type { OperatorDependencies } from './operator-dependencies.ts';
import { frozenTurns, type RunningTurn } from './running-turns.ts';
import { silentSince } from './silent-workers.ts';
import { usedPlaces } from './used-places.ts';
import type { RemoteProblem, WorkerReading } from './worker-report.ts';

/** An agent and its queues: its own, and those of its skills. */
export interface AgentReading extends JobCounts {
  readonly id: string;
  /** Workers that are alive and can run it. */
  readonly workers: number;
  /** Turns that a silent worker has. */
  readonly frozenTurns: number;
  /** ISO time since when none of its workers has reported; unset: one reports, or there is none. */
  readonly silentSince?: string;
  /** It runs elsewhere, and one of its workers cannot use it. */
  readonly remoteProblem?: RemoteProblem & { readonly worker: string };
  readonly paused: boolean;
  /** Tenants whose jobs reach beyond the current round of turns, on the shard that has the most of them. */
  readonly tenants: number;
  /** Waiting jobs of the tenant that has the most. */
  readonly longestTenant: number;
  /** How long the next job has waited; 0: no job waits. */
  readonly oldestWaitMs: number;
  /** Jobs that began per second lately; 0 at the first reading. */
  readonly beganPerSecond: number;
  readonly name: string;
  readonly version: string;
  readonly card: AgentCard;
  /** JSON Schema of the data that its tasks begin with; unset: any message begins one. */
  readonly inputSchema?: JsonSchema;
  /** Places for its turns that are taken, and how many there are; unset: its agent has no limits. */
  readonly places?: { readonly taken: number; readonly limit?: number };
  /** The part of the counts that is in the queue of each skill; unset: no skill has a queue. */
  readonly skills?: readonly SkillQueueReading[];
}

export interface SkillQueueReading extends JobCounts {
  readonly id: string;
  /** Turns that each worker runs at a time; 0: the skill has lost its queue, remaining jobs run one after the other. */
  readonly concurrency: number;
}

/** The load of the workers that run some agents, for an autoscaler. */
export interface WorkLoad {
  /** Jobs that wait, run, or are delayed for a retry; of a paused agent only those that run. */
  readonly jobs: number;
  /** How long the next job has waited, of agents that are not paused; 0: no job waits. */
  readonly oldestWaitMs: number;
}

/** What workers report. */
interface Reports {
  readonly workers: readonly WorkerReading[];
  /** The turns that a silent worker has. */
  readonly frozen: readonly RunningTurn[];
}

/** An agent that was never announced gets no messages: a worker must be started to announce it. */
const unannounced: WorkLoad = { jobs: 1, oldestWaitMs: 0 };

/** All agents that were ever announced, and their queues. */
export class Agents {
  readonly #dependencies: OperatorDependencies;
  readonly #rates = new BeginRates();

  constructor(dependencies: OperatorDependencies) {
    this.#dependencies = dependencies;
  }

  /** All agents, or only one, sorted by id. */
  async list(only?: string): Promise<AgentReading[]> {
    const announced = await this.#dependencies.registry.list();
    const asked = announced.filter(({ id }) => id === (only ?? id));
    const reports = await this.#reports();
    return Promise.all(asked.map((agent) => this.#read(agent, reports)));
  }

  /** The load of these agents together. An agent that was never announced counts as a job, so that it gets a worker. */
  async load(ids: readonly string[]): Promise<WorkLoad> {
    const known = new Map((await this.#dependencies.registry.list()).map((agent) => [agent.id, queuesOf(agent)]));
    const loads = await Promise.all(ids.map((id) => this.#load(known.get(id))));
    return {
      jobs: loads.reduce((sum, { jobs }) => sum + jobs, 0),
      oldestWaitMs: Math.max(0, ...loads.map(({ oldestWaitMs }) => oldestWaitMs)),
    };
  }

  /** Pauses an agent: its messages are accepted, and wait. Running turns go on. @returns undefined: no such agent */
  pause(id: string): Promise<AgentReading | undefined> {
    return this.#change(id, (queues) => this.#dependencies.agentQueues.pause(...queues));
  }

  /** @returns undefined: no such agent */
  resume(id: string): Promise<AgentReading | undefined> {
    return this.#change(id, (queues) => this.#dependencies.agentQueues.resume(...queues));
  }

  /**
   * Forgets a retired agent: gateways do not serve it, nor its tasks, until a worker announces it again.
   * @returns running: a worker runs it; waiting: it has messages that wait or run; not-archived: there is an archive, to
   * which only tasks of known agents are copied, and it has others, ended or not
   */
  async forget(id: string): Promise<'forgotten' | 'unknown' | 'running' | 'waiting' | 'not-archived'> {
    const [agent] = await this.list(id);
    if (!agent) return 'unknown';
    if (agent.waiting + agent.active + agent.delayed > 0) return 'waiting';
    const { registry, archive } = this.#dependencies;
    if (archive && (await hasUncopied(this.#dependencies, id))) return 'not-archived';
    return registry.forget(id);
  }

  /** The tenants with the most waiting jobs, at most twenty. @returns undefined: no such agent */
  async tenants(id: string): Promise<readonly TenantShare[] | undefined> {
    const agent = (await this.#dependencies.registry.list()).find((each) => each.id === id);
    return agent && (await this.#dependencies.agentQueues.shares(...queuesOf(agent))).longest;
  }

  /** Waiting jobs of all agents by tenant, the most first. Only the twenty largest tenants of each agent count. */
  async waitingByTenant(): Promise<readonly TenantShare[]> {
    const agents = await this.#dependencies.registry.list();
    const shares = await Promise.all(agents.map((agent) => this.#dependencies.agentQueues.shares(...queuesOf(agent))));
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
    const { queue, agentQueues } = this.#dependencies;
    const [paused, { waiting, active, delayed }, { oldestWaitMs }] = await Promise.all([
      agentQueues.isPaused(...queues),
      queue.counts(...queues),
      loadOf(this.#dependencies, queues),
    ]);
    return paused ? { jobs: active, oldestWaitMs: 0 } : { jobs: waiting + active + delayed, oldestWaitMs };
  }

  async #change(id: string, change: (queues: readonly string[]) => Promise<void>): Promise<AgentReading | undefined> {
    const agent = (await this.#dependencies.registry.list()).find((each) => each.id === id);
    if (!agent) return undefined;
    await change(queuesOf(agent));
    return this.#read(agent, await this.#reports());
  }

  async #reports(): Promise<Reports> {
    const workers = await this.#dependencies.workers.list();
    return { workers, frozen: await frozenTurns(this.#dependencies, workers) };
  }

  async #read(agent: AnnouncedAgent, reports: Reports): Promise<AgentReading> {
    const { id, workers, card, inputSchema, limits, skillQueues = {} } = agent;
    const { queue, agentQueues, redis, shards } = this.#dependencies;
    const queues = queuesOf(agent);
    const [paused, counts, shares, load, places] = await Promise.all([
      agentQueues.isPaused(...queues),
      Promise.all(queues.map((one) => queue.counts(one))),
      agentQueues.shares(...queues),
      loadOf(this.#dependencies, queues),
      limits && usedPlaces({ redis, shards }, id),
    ]);
    const silent = silentSince(reports.workers, id);
    const remoteProblem = remoteProblemOf(reports.workers, id);
    return {
      id,
      workers,
      ...(silent !== undefined && { silentSince: silent }),
      ...(remoteProblem && { remoteProblem }),
      paused,
      ...sumOfJobs(counts),
      tenants: shares.count,
      longestTenant: shares.longest[0]?.waiting ?? 0,
      oldestWaitMs: load.oldestWaitMs,
      beganPerSecond: this.#rates.next(id, load),
      frozenTurns: reports.frozen.filter((turn) => turn.agent === id).length,
      name: card.name,
      version: card.version,
      card,
      ...(inputSchema && { inputSchema }),
      ...(places && { places: { taken: places.running, ...(limits?.running && { limit: limits.running }) } }),
      ...(counts.length > 1 && { skills: skillReadings(skillQueues, counts.slice(1)) }),
    };
  }
}

/** As a worker that answers reports it; a bad card before an agent that does not answer. */
function remoteProblemOf(workers: readonly WorkerReading[], agent: string): AgentReading['remoteProblem'] {
  const found = workers.flatMap(({ id, state, remoteProblems = {} }) => {
    const problem = state === 'silent' ? undefined : remoteProblems[agent];
    return problem ? [{ ...problem, worker: id }] : [];
  });
  return found.find(({ kind }) => kind === 'bad-card') ?? found[0];
}

/** @param counts of their queues, in the same order */
function skillReadings(skills: Readonly<Record<string, number>>, counts: readonly JobCounts[]): SkillQueueReading[] {
  return Object.entries(skills).map(([id, concurrency], i) => ({ id, concurrency, ...(counts[i] ?? sumOfJobs([])) }));
}
