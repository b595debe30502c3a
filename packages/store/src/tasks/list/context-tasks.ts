import type { Principal } from '@switchyard/protocol';
import { type CachedReadDependencies, readTask } from '../read/read.ts';
import { findEntries, type ListDependencies, taskIdOf } from './list.ts';

/** A task of a context, as JSON. */
export interface ContextTaskReading {
  readonly agent: string;
  readonly taskId: string;
  readonly task: string;
}

export interface ContextQuery {
  readonly contextId: string;
  /** The agents whose tasks are listed. */
  readonly agents: readonly string[];
  readonly limit: number;
  readonly historyLength: number;
  /** Id of a task to leave out. */
  readonly except?: string;
}

interface FoundTask {
  readonly agent: string;
  readonly entry: string;
}

/** The tasks of a context over several agents, the latest status first. Reads the index of each agent. */
export async function listContext(
  dependencies: ListDependencies,
  principal: Principal,
  query: ContextQuery,
): Promise<ContextTaskReading[]> {
  const found = await Promise.all(query.agents.map((agent) => findTasks(dependencies, principal, { ...query, agent })));
  const latest = found
    .flat()
    .filter(({ entry }) => taskIdOf(entry) !== query.except)
    .sort((a, b) => (a.entry < b.entry ? 1 : -1))
    .slice(0, query.limit);
  const read = await Promise.all(latest.map((one) => readFound(dependencies, principal, { ...query, ...one })));
  return read.flatMap((reading) => reading ?? []);
}

/** Reads one more than the limit, as `except` may be among them. */
async function findTasks(
  dependencies: ListDependencies,
  principal: Principal,
  { agent, contextId, limit }: ContextQuery & { readonly agent: string },
): Promise<FoundTask[]> {
  const query = { contextId, pageSize: limit, includeWithdrawn: true };
  const { entries } = await findEntries(dependencies, { principal, agent }, query);
  return entries.map((entry) => ({ agent, entry }));
}

async function readFound(
  dependencies: CachedReadDependencies,
  principal: Principal,
  { agent, entry, historyLength }: ContextQuery & FoundTask,
): Promise<ContextTaskReading | undefined> {
  const taskId = taskIdOf(entry);
  const reading = await readTask(dependencies, { principal, agent }, taskId, { historyLength });
  return reading?.task === undefined ? undefined : { agent, taskId, task: reading.task.toString() };
}
