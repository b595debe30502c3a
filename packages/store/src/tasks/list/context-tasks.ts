import type { Principal } from '@switchyard/protocol';
import { type CachedReadDependencies, readTask } from '../read/read.ts';
import { findTasks, type ListDependencies, taskIdOf } from './list.ts';

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

interface FoundKey {
  readonly agent: string;
  readonly sortKey: string;
}

/** The tasks of a context over several agents, the latest status first. Reads the index of each agent. */
export async function listContext(
  dependencies: ListDependencies,
  principal: Principal,
  query: ContextQuery,
): Promise<ContextTaskReading[]> {
  const found = await Promise.all(
    query.agents.map((agent) => findOfAgent(dependencies, principal, { ...query, agent })),
  );
  const latest = found
    .flat()
    .filter(({ sortKey }) => taskIdOf(sortKey) !== query.except)
    .sort((a, b) => (a.sortKey < b.sortKey ? 1 : -1))
    .slice(0, query.limit);
  const read = await Promise.all(latest.map((one) => readFound(dependencies, principal, { ...query, ...one })));
  return read.flatMap((reading) => reading ?? []);
}

/** Reads one more than the limit, as `except` may be among them. */
async function findOfAgent(
  dependencies: ListDependencies,
  principal: Principal,
  { agent, contextId, limit }: ContextQuery & { readonly agent: string },
): Promise<FoundKey[]> {
  const query = { contextId, pageSize: limit, includeWithdrawn: true };
  const { sortKeys } = await findTasks(dependencies, { principal, agent }, query);
  return sortKeys.map((sortKey) => ({ agent, sortKey }));
}

async function readFound(
  dependencies: CachedReadDependencies,
  principal: Principal,
  { agent, sortKey, historyLength }: ContextQuery & FoundKey,
): Promise<ContextTaskReading | undefined> {
  const taskId = taskIdOf(sortKey);
  const reading = await readTask(dependencies, { principal, agent }, taskId, { historyLength });
  return reading?.task === undefined ? undefined : { agent, taskId, task: reading.task.toString() };
}
