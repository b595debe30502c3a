import { redisTimeMs } from '@switchyard/redis';
import { type AnnouncedLimits, cardUrlOf, queueName, queueRoot, REMOTE_AGENTS } from '@switchyard/store/inside';
import type { OperatorDependencies } from './operator-dependencies.ts';
import { silentSince } from './silent-workers.ts';
import { type BudgetFacts, budgetFacts } from './task-budget.ts';
import type { TaskDelivery } from './task-deliveries.ts';
import { type Failure, isOfAttempt } from './task-failures.ts';
import type { StoredTask, TaskRecord } from './task-record.ts';
import { type UsedPlaces, usedPlaces } from './used-places.ts';
import type { BlockedReport, ReportedWait, WorkerReading } from './worker-report.ts';

/** The facts for a diagnosis. */
export interface TaskFacts {
  readonly record: TaskRecord;
  /** Current time by Redis' clock. */
  readonly nowMs: number;
  /** A task without a heartbeat for this long is swept. */
  readonly sweepAfterMs: number;
  /** Unset: the agent was never announced. */
  readonly agent: AgentFacts | undefined;
  /** Unset: no turn is open. */
  readonly turn: TurnFacts | undefined;
  readonly job: JobFacts;
  /** Unset: the job does not wait, or its agent has no limits. */
  readonly places?: PlaceFacts | undefined;
  /** Waiting jobs of the task's tenant at its agent, and whether other tenants have waiting jobs there too. */
  readonly share: { readonly waiting: number; readonly hasOthers: boolean };
  /** Ids of the tasks of other agents that the turn waits for. */
  readonly calls: readonly string[];
  /** The task's webhooks whose deliveries fail, or were given up. */
  readonly failingWebhooks: readonly TaskDelivery[];
  readonly budget: BudgetFacts;
  /** Why the task failed with its last attempt. */
  readonly failure?: Failure | undefined;
  /** Failures of steps and calls in that attempt. */
  readonly failedParts: readonly Failure[];
  /** Time of the task's status, since when its turn is suspended. */
  readonly statusMs?: number | undefined;
  /** Unset: the task waits for neither input nor authorization, or its agent goes on meanwhile. */
  readonly interruption?: InterruptionFacts | undefined;
}

export interface AgentFacts {
  /** Number of live workers that run the agent. */
  readonly workers: number;
  /** ISO time since when none of its workers has reported; unset: one reports, or there is none. */
  readonly silentSince?: string | undefined;
  readonly paused: boolean;
  /** Number of waiting jobs, over all shards. */
  readonly waiting: number;
  /** Unset: it has none. */
  readonly limits?: AnnouncedLimits | undefined;
}

export interface InterruptionFacts {
  readonly sinceMs: number;
  /** When the task is canceled unless its client answers. */
  readonly endsAtMs: number;
}

/** The limits of an agent for a job that waits, and what is used of them. */
export interface PlaceFacts {
  readonly limits: AnnouncedLimits;
  readonly used: UsedPlaces;
  /** Of the message; unset: it has none, or it is not known yet. */
  readonly key?: string;
}

export interface TurnFacts {
  readonly worker: string;
  /** Time since the worker's last report; unset: it has sent none, or the report has expired. */
  readonly silentMs: number | undefined;
  /** What blocks the worker; unset: nothing that its process could see. */
  readonly blocked?: BlockedReport | undefined;
  /** Time until another worker may take the turn over; 0: it may now. */
  readonly leaseMs: number;
  readonly sinceMs: number | undefined;
  /** What it has long to wait for. */
  readonly waitsFor?: ReportedWait | undefined;
}

/** The job that will begin the next turn. */
export interface JobFacts {
  /** Number of jobs ahead of it in the queue. */
  readonly before: number;
  /** Time since when it waits. */
  readonly sinceMs: number | undefined;
  /** Time when its delay ends. */
  readonly delayedToMs: number | undefined;
}

/** Facts that several tasks share, and that are read once. */
export class DeploymentFacts {
  readonly #dependencies: OperatorDependencies;
  readonly #agents = new Map<string, Promise<{ facts: AgentFacts | undefined; shares: Shares }>>();
  #workers: Promise<WorkerReading[]> | undefined;
  #now: Promise<number> | undefined;

  constructor(dependencies: OperatorDependencies) {
    this.#dependencies = dependencies;
  }

  get workers(): Promise<WorkerReading[]> {
    this.#workers ??= this.#dependencies.workers.list();
    return this.#workers;
  }

  /** By Redis' clock. */
  get nowMs(): Promise<number> {
    this.#now ??= redisTimeMs(this.#dependencies.redis);
    return this.#now;
  }

  /** @param queue the agent's own queue, or that of one of its skills */
  agent(id: string, queue: string): Promise<{ facts: AgentFacts | undefined; shares: Shares }> {
    const known = this.#agents.get(queue) ?? this.#readAgent(id, queue);
    this.#agents.set(queue, known);
    return known;
  }

  async #readAgent(id: string, name: string): Promise<{ facts: AgentFacts | undefined; shares: Shares }> {
    const { queue, agentQueues } = this.#dependencies;
    const [{ workers, limits }, reported, paused, { waiting }, shares] = await Promise.all([
      this.#announcementOf(id),
      this.workers,
      agentQueues.isPaused(name),
      queue.counts(name),
      agentQueues.shares(name),
    ]);
    if (workers === undefined) return { facts: undefined, shares };
    return { facts: { workers, silentSince: silentSince(reported, id), paused, waiting, limits }, shares };
  }

  /** For a remote agent: all workers, as each can call it. Without workers: the agent was never announced. */
  async #announcementOf(id: string): Promise<{ readonly workers?: number; readonly limits?: AnnouncedLimits }> {
    if (cardUrlOf(id) !== undefined || id === REMOTE_AGENTS)
      return { workers: (await this.workers).filter(({ state }) => state === 'working').length };
    return (await this.#dependencies.registry.list()).find((agent) => agent.id === id) ?? {};
  }
}

type Shares = Awaited<ReturnType<OperatorDependencies['agentQueues']['shares']>>;

export async function factsOf(
  dependencies: OperatorDependencies,
  stored: StoredTask,
  deployment: DeploymentFacts,
): Promise<TaskFacts> {
  const { record, deliveries, statusMs } = stored;
  const facts = record.isTerminal
    ? { ...NOTHING_GOES_ON, ...(await lastFailure(dependencies, stored)) }
    : { ...(await factsOfOpen(dependencies, stored, deployment)), failedParts: [] };
  return {
    record,
    sweepAfterMs: dependencies.settings.sweepAfterMs,
    failingWebhooks: deliveries.filter(({ state }) => state === 'dead' || state === 'waiting'),
    statusMs,
    ...facts,
  };
}

/** Of a task that has ended: what else Redis has says nothing of it. */
const NOTHING_GOES_ON = {
  nowMs: 0,
  agent: undefined,
  turn: undefined,
  job: { before: 0, sinceMs: undefined, delayedToMs: undefined },
  share: { waiting: 0, hasOthers: false },
  calls: [],
  budget: {},
} as const;

async function factsOfOpen(
  dependencies: OperatorDependencies,
  { record, token }: StoredTask,
  deployment: DeploymentFacts,
): Promise<FactsOfOpen> {
  const { redis, shards, agentQueues } = dependencies;
  const { taskId, agent, tenant, job } = record;
  const name = queueName(agent, record.queueOfSkill);
  const keys = shards.of(taskId);
  const [{ facts, shares }, inspection, begun, calls, interrupted, nowMs, budget] = await Promise.all([
    deployment.agent(agent, name),
    agentQueues.inspect(name, taskId, job),
    redis.hget(keys.task(taskId), `l${record.openTurn}`),
    redis.hgetall(`${keys.task(taskId)}:c`),
    redis.zscore(keys.interrupted, taskId),
    deployment.nowMs,
    budgetFacts(dependencies, record),
  ]);
  const waited = Object.entries(calls).flatMap(([id, mode]) => (mode.startsWith('w ') ? [id] : []));
  const share = shares.longest.find((each) => each.tenant === tenant);
  return {
    nowMs,
    agent: facts,
    turn: token
      ? turnFacts({ taskId, token, begun, leaseMs: inspection.leaseMs, nowMs }, await deployment.workers)
      : undefined,
    job: { before: inspection.before ?? 0, sinceMs: inspection.sinceMs, delayedToMs: inspection.delayedToMs },
    places: await placesFor(dependencies, record, facts?.limits),
    share: { waiting: share?.waiting ?? 0, hasOthers: shares.longest.some((each) => each.tenant !== tenant) },
    calls: waited,
    budget,
    interruption: interrupted === null ? undefined : interruptionFacts(dependencies, Number(interrupted)),
  };
}

type FactsOfOpen = Omit<
  TaskFacts,
  'record' | 'sweepAfterMs' | 'failingWebhooks' | 'statusMs' | 'failure' | 'failedParts'
>;

const interruptionFacts = ({ settings }: OperatorDependencies, sinceMs: number): InterruptionFacts => ({
  sinceMs,
  endsAtMs: sinceMs + settings.interruptedRetentionMs,
});

async function placesFor(
  { redis, shards }: OperatorDependencies,
  { agent, taskId, job, jobState, queueOfSkill }: TaskRecord,
  limits: AnnouncedLimits | undefined,
): Promise<PlaceFacts | undefined> {
  if (!limits || jobState !== 'waiting') return undefined;
  const jobKey = `${queueRoot(queueName(agent, queueOfSkill), shards.of(taskId))}${taskId}.${job}`;
  const [tenant, key] = await redis.hmget(jobKey, 'tenant', 'key');
  const used = await usedPlaces({ redis, shards }, agent, { tenant: tenant ?? '-', key: key ?? '' });
  return { limits, used, ...(key && { key: decodeURIComponent(key) }) };
}

/** The failure behind a record's reason, and those of parts. That of a lost worker is known by its reason only. */
async function lastFailure(
  { redis, shards }: OperatorDependencies,
  { record: { taskId, epoch, reason }, failures, statusMs = 0 }: StoredTask,
): Promise<Pick<TaskFacts, 'failure' | 'failedParts'>> {
  if (!reason) return { failure: undefined, failedParts: [] };
  const ofLast = failures.filter((each) => each.epoch === epoch);
  const failedParts = ofLast.filter((each) => !isOfAttempt(each));
  const said = ofLast.findLast(isOfAttempt);
  if (said) return { failure: said, failedParts };
  // The record counts the attempts at a message until it leaves the inbox, and this one has left it.
  const isBegun = reason.kind !== 'not-begun';
  const begun = isBegun ? await redis.hget(shards.of(taskId).task(taskId), `l${epoch}`) : null;
  const [, attempt, , worker = ''] = begun?.split(' ') ?? [];
  const at = new Date(statusMs).toISOString();
  return { failure: { ...reason, epoch, at, ...(begun && { attempt: Number(attempt), worker }) }, failedParts };
}

interface OpenTurn {
  readonly taskId: string;
  /** Token of its job's run: begins with the process. */
  readonly token: string;
  /** The field `l<epoch>` of the record. */
  readonly begun: string | null;
  readonly leaseMs: number;
  readonly nowMs: number;
}

function turnFacts({ taskId, token, begun, leaseMs, nowMs }: OpenTurn, workers: readonly WorkerReading[]): TurnFacts {
  const [worker = ''] = token.split(':');
  const reading = workers.find(({ id }) => id === worker);
  return {
    worker,
    silentMs: reading && nowMs - Date.parse(reading.lastHeartbeat),
    blocked: reading?.blocked,
    leaseMs,
    sinceMs: begun === null ? undefined : Number.parseInt(begun, 10),
    waitsFor: reading?.turns.find((turn) => turn.taskId === taskId)?.waitsFor,
  };
}
