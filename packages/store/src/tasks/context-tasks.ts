import { ownerOf, type Principal } from '../principal.ts';
import { jsonText } from '../redis/keys.ts';
import { type CachedReadPort, readTask } from './read.ts';

/** A task of a context, as JSON. */
export interface ContextTaskReading {
  readonly agent: string;
  readonly taskId: string;
  readonly task: string;
}

export interface ContextQuery {
  readonly contextId: string;
  /** The agents whose tasks are looked for. */
  readonly agents: readonly string[];
  readonly limit: number;
  readonly historyLength: number;
  /** Left out. */
  readonly except?: string;
}

/** Bounds the look at an agent that has served one context very often. */
const TASKS_PER_AGENT = 1_000;

interface Found {
  readonly agent: string;
  readonly taskId: string;
  readonly time: string;
}

/**
 * The tasks of a context over several agents, the latest status first. There is no index for it: every agent's own has the
 * context's tasks, and of an agent that has none it costs a look at a key that is not there. An agent's own index need not have the
 * task that opened the context.
 */
export async function listContext(
  port: CachedReadPort,
  principal: Principal,
  query: ContextQuery,
): Promise<ContextTaskReading[]> {
  const [opener, ...found] = await Promise.all([
    findOpener(port, principal, query),
    ...query.agents.map((agent) => findTasks(port, principal, { ...query, agent })),
  ]);
  const others = found.flat().filter(({ taskId }) => taskId !== opener?.taskId);
  const latest = [...others, ...(opener ? [opener] : [])]
    .filter(({ taskId }) => taskId !== query.except)
    .sort((a, b) => (a.time < b.time ? 1 : -1))
    .slice(0, query.limit);
  const read = await Promise.all(latest.map((one) => readFound(port, principal, { ...query, ...one })));
  return read.flatMap((reading) => reading ?? []);
}

/** Members are state, time (8 characters) and id: see move-in-indexes.lua. */
async function findTasks(
  { redis, shards }: CachedReadPort,
  principal: Principal,
  { agent, contextId }: ContextQuery & { readonly agent: string },
): Promise<Found[]> {
  const key = shards.of(contextId).index({ principal, agent }, contextId);
  const members = await redis.zrangebylex(key, '-', '+', 'LIMIT', 0, TASKS_PER_AGENT);
  return members.map((member) => ({ agent, taskId: member.slice(9), time: member.slice(1, 9) }));
}

/** The task that opened the context: while it is the only one of its agent, that agent's index is not there (opener.lua). */
async function findOpener(
  { redis, shards }: CachedReadPort,
  principal: Principal,
  { agents, contextId }: ContextQuery,
): Promise<Found | undefined> {
  const [owner, context, time] = await redis.hmget(shards.of(contextId).task(contextId), 'owner', 'context', 'time');
  const agent = agents.find((each) => ownerOf({ principal, agent: each }) === owner);
  if (agent === undefined || context !== jsonText(contextId) || !time) return undefined;
  return { agent, taskId: contextId, time };
}

async function readFound(
  port: CachedReadPort,
  principal: Principal,
  { agent, taskId, historyLength }: ContextQuery & Found,
): Promise<ContextTaskReading | undefined> {
  const reading = await readTask(port, { principal, agent }, taskId, { historyLength });
  return reading?.task === undefined ? undefined : { agent, taskId, task: reading.task.toString() };
}
