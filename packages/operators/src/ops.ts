import { Credentials } from '@switchyard/access';
import { infoOf, mastersOf } from '@switchyard/redis';
import { type Page, type PageQuery, pageOf, type StoreInside } from '@switchyard/store/inside';
import { allLoads, type QueueSum } from './agent-load.ts';
import { AgentQueues } from './agent-queues.ts';
import { type AgentReading, Agents } from './agents.ts';
import { ArchiveCheck } from './archive-check.ts';
import { forgetCursors } from './archive-cursor.ts';
import { Archiver } from './archiver.ts';
import { type AuditPage, type AuditQuery, readAudit } from './audit.ts';
import { DeadLetters } from './dead-letters.ts';
import { type InterruptedTask, interruptedTask, interruptions } from './interrupted-tasks.ts';
import { isShortOfRoom, type KeptTasks, keptTasks, type NearLimit, nearLimits } from './limits.ts';
import { LogLevels } from './log-levels.ts';
import { OperatorConversations } from './operator-conversations.ts';
import type { OperatorDependencies } from './operator-dependencies.ts';
import { OperatorTasks } from './operator-tasks.ts';
import { overdueTasks } from './overdue-tasks.ts';
import { type Overview, readOverview } from './overview.ts';
import { type RunningTurn, runningTurns, turnsOfProcess } from './running-turns.ts';
import { type StuckTask, whyStuck } from './stuck-tasks.ts';
import { DeploymentFacts } from './task-facts.ts';
import { searchTasks, type TaskSearch, type TaskSearchPage } from './task-search.ts';
import { TenantExport } from './tenant-export.ts';
import { type MemoryName, type TenantReading, Tenants } from './tenants.ts';
import { UsageTotals } from './usage-totals.ts';
import type { ProcessId, WorkerReading } from './worker-report.ts';
import { Workers } from './workers.ts';

/** What operators can read and do. Lists are paged. */
export class Ops {
  readonly workers: Workers;
  readonly logLevels: LogLevels;
  readonly agents: Agents;
  readonly agentQueues: AgentQueues;
  readonly deadLetters: DeadLetters;
  readonly tasks: OperatorTasks;
  readonly conversations: OperatorConversations;
  readonly tenants: Tenants;
  readonly tenantExport: TenantExport;
  readonly usage: UsageTotals;
  /** Unset: there is no archive. */
  readonly archiver: Archiver | undefined;
  readonly archiveCheck: ArchiveCheck | undefined;
  readonly #dependencies: OperatorDependencies;

  constructor({ inside }: { readonly inside: StoreInside }) {
    this.workers = new Workers(inside);
    this.logLevels = new LogLevels(inside);
    this.agentQueues = new AgentQueues(inside);
    const { workers, logLevels, agentQueues } = this;
    const dependencies = { ...inside, credentials: new Credentials(inside), workers, logLevels, agentQueues };
    this.#dependencies = dependencies;
    this.agents = new Agents(dependencies);
    this.deadLetters = new DeadLetters(dependencies);
    this.tasks = new OperatorTasks(dependencies);
    this.conversations = new OperatorConversations(dependencies);
    this.tenants = new Tenants(dependencies);
    this.tenantExport = new TenantExport(dependencies);
    this.usage = new UsageTotals(dependencies);
    const { archive } = inside;
    if (!archive) return;
    const copying = { ...dependencies, archive, tasks: this.tasks };
    this.archiver = new Archiver(copying);
    this.archiveCheck = new ArchiveCheck(copying, this.archiver);
  }

  /** Once there is no archive: until then Redis drops no task for lack of memory that was not copied. */
  forgetArchive(): Promise<void> {
    return forgetCursors(this.#dependencies);
  }

  /** Bytes of memory that Redis uses; in a Cluster, all masters together. */
  async redisBytes(): Promise<number> {
    const infos = await Promise.all(mastersOf(this.#dependencies.redis).map((node) => infoOf(node, 'memory')));
    return infos.reduce((sum, info) => sum + Number(info.used_memory ?? 0), 0);
  }

  /** Limits that are nearly reached, the fullest first. */
  limits(): Promise<NearLimit[]> {
    return nearLimits(this.#dependencies);
  }

  isShortOfRoom(): Promise<boolean> {
    return isShortOfRoom(this.#dependencies);
  }

  keptTasks(): Promise<KeptTasks> {
    return keptTasks(this.#dependencies);
  }

  /** How many tasks wait for their time. */
  async scheduledTasks(): Promise<number> {
    const { redis, shards } = this.#dependencies;
    const counts = await Promise.all(shards.all.map(({ scheduledTasks }) => redis.zcard(scheduledTasks)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** How many turns are suspended. */
  async suspendedTurns(): Promise<number> {
    const { redis, shards } = this.#dependencies;
    const counts = await Promise.all(shards.all.map(({ suspended }) => redis.zcard(suspended)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** The queues of all agents together. */
  queues(): Promise<QueueSum> {
    return allLoads(this.#dependencies);
  }

  /** Whether all is well, at a cost that does not depend on the number of tasks. */
  overview(): Promise<Overview> {
    const { agents, deadLetters } = this;
    return readOverview(this.#dependencies, { agents, deadLetters, scheduledTasks: () => this.scheduledTasks() });
  }

  /** Sorted by id. @param query `id`: only this agent. @throws {InvalidPageToken} */
  async listAgents({
    id: only,
    ...query
  }: PageQuery & { readonly id?: string | undefined }): Promise<Page<AgentReading>> {
    return pageOf(await this.agents.list(only), query, { list: 'agents', positionOf: ({ id }) => id });
  }

  /** Sorted by id. @param query `agent`: only workers that run it. @throws {InvalidPageToken} */
  async listWorkers({
    agent,
    ...query
  }: PageQuery & { readonly agent?: string | undefined }): Promise<Page<WorkerReading>> {
    const all = await this.workers.list();
    const workers = agent === undefined ? all : all.filter(({ agents }) => agents.includes(agent));
    return pageOf(workers, query, { list: 'workers', positionOf: ({ id }) => id });
  }

  /** The audit trail. @throws {InvalidPageToken} */
  listAudit(query: AuditQuery): Promise<AuditPage> {
    return readAudit(this.#dependencies, query);
  }

  /** Sorted by id. @throws {InvalidPageToken} */
  async listTenants(query: PageQuery): Promise<Page<TenantReading>> {
    return pageOf(await this.tenants.list(), query, { list: 'tenants', positionOf: ({ id }) => id });
  }

  /** The memories that agents keep for contexts of a tenant. @throws {InvalidPageToken} */
  async listMemories(tenant: string, query: PageQuery): Promise<Page<MemoryName>> {
    return pageOf(await this.tenants.memories(tenant), query, {
      list: `memories ${tenant}`,
      positionOf: ({ subject, agent, contextId }) => JSON.stringify([subject, agent, contextId]),
    });
  }

  /** Longest running first. @throws {InvalidPageToken} */
  async listTurns(query: PageQuery): Promise<Page<RunningTurn>> {
    const turns = await runningTurns(this.#dependencies);
    return pageOf(turns, query, {
      list: 'turns',
      positionOf: ({ since, taskId }) => earliestFirst(Date.parse(since), taskId),
    });
  }

  /** What ran in a process that has just ended. */
  turnsOfProcess(process: ProcessId): Promise<RunningTurn[]> {
    return turnsOfProcess(this.#dependencies, process);
  }

  /** Longest waiting first. @throws {InvalidPageToken} */
  async listInterrupted(query: PageQuery & { readonly contents?: boolean }): Promise<Page<InterruptedTask>> {
    const page = pageOf(await interruptions(this.#dependencies), query, {
      list: 'interrupted',
      positionOf: ({ sinceMs, taskId }) => earliestFirst(sinceMs, taskId),
    });
    const tasks = await Promise.all(
      page.items.map((one) => interruptedTask(this.#dependencies, one, query.contents === true)),
    );
    return { ...page, items: tasks.filter((task) => task !== undefined) };
  }

  /** Tasks of all principals, latest first. @throws {InvalidPageToken} */
  searchTasks(search: TaskSearch): Promise<TaskSearchPage> {
    return searchTasks(this.#dependencies, search);
  }

  /** Longest silent first. @throws {InvalidPageToken} */
  async listStuck(query: PageQuery): Promise<Page<StuckTask>> {
    const deployment = new DeploymentFacts(this.#dependencies);
    const [overdue, workers] = await Promise.all([overdueTasks(this.#dependencies), deployment.workers]);
    // An overdue task may run again by now.
    const alive = workers.filter(({ state }) => state !== 'silent').flatMap(({ turns }) => turns);
    const running = new Set(alive.map(({ taskId }) => taskId));
    const stuck = overdue.filter(({ taskId, hasOpenTurn }) => !(hasOpenTurn && running.has(taskId)));
    const page = pageOf(stuck, query, {
      list: 'stuck',
      positionOf: ({ seenMs, taskId }) => earliestFirst(seenMs, taskId),
    });
    const tasks = await Promise.all(page.items.map((task) => whyStuck(this.#dependencies, task, deployment)));
    return { ...page, items: tasks.filter((task) => task !== undefined) };
  }
}

/** A sort key that puts the earliest first. */
function earliestFirst(ms: number, id: string): string {
  return `${String(ms).padStart(16, '0')} ${id}`;
}
