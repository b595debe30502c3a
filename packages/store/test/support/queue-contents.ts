import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';

type Content = string | string[] | Record<string, unknown>;
type Contents = Readonly<Record<string, Content>>;

/**
 * All keys of a queue by the ends of their names, without its events and their limit.
 * @param root of the queue's keys
 */
export async function queueContents(redis: Redis, root: string): Promise<Record<string, Content>> {
  const keys = (await redis.keys(`${root}*`)).filter((key) => !key.endsWith(':events'));
  const contents = await Promise.all(
    keys.map(async (key) => [key.slice(root.length), await contentOf(redis, key)] as const),
  );
  return Object.fromEntries(contents.filter(([, content]) => Object.keys(content).length > 0));
}

/**
 * The same without what BullMQ has not: whose share a job takes, whether it has taken it, and since when it waits this
 * time. Of the jobs that wait what can be compared: their order, and BullMQ's priority of each. It puts lost jobs of
 * any priority into `wait`, from where it takes them first.
 */
export function asBullMQ({
  tenants: _,
  pc: __,
  wait = [],
  prioritized = [],
  ...contents
}: Contents): Record<string, unknown> {
  const first = asList(wait).map((id) => [id, priorityIn(contents[id])]);
  const others = asList(prioritized).map((text, i) => (i % 2 ? String(Math.floor(Number(text) / 2 ** 32)) : text));
  const waiting = [...first.toReversed().flat(), ...others];
  return { ...Object.fromEntries(Object.entries(contents).map(withoutShare)), ...(waiting.length && { waiting }) };
}

const asList = (content: Content): string[] => (Array.isArray(content) ? content : []);

function priorityIn(job: Content | undefined): string {
  return typeof job === 'object' && !Array.isArray(job) ? String(job.priority) : '';
}

function withoutShare([key, content]: [string, Content]): [string, unknown] {
  if (typeof content !== 'object' || Array.isArray(content)) return [key, content];
  const { tenant: _, tag: __, since: ___, begun: ____, ...fields } = content;
  return [key, fields];
}

/** Adds a job as BullMQ's own client does. @param priority as jobs have it that nobody waits for */
export async function bullmqAdds(redis: Redis, root: string, id: string, priority = 4): Promise<void> {
  const [, prefix = '', name = ''] = /^(.*):([^:]*):$/.exec(root) ?? [];
  const queue = new Queue(name, { connection: redis, prefix, skipMetasUpdate: true });
  await queue.add('turn', {}, { removeOnComplete: true, removeOnFail: true, attempts: 0, priority, jobId: id });
  await queue.close();
}

async function contentOf(redis: Redis, key: string): Promise<Content> {
  const type = await redis.type(key);
  if (type === 'list') return redis.lrange(key, 0, -1);
  if (type === 'zset') return redis.zrange(key, '0', '-1', 'WITHSCORES');
  if (type === 'set') return redis.smembers(key);
  if (type === 'string') return (await redis.get(key)) ?? '';
  const { opts, timestamp, processedOn, 'opts.maxLenEvents': _, ...fields } = await redis.hgetall(key);
  return {
    ...fields,
    ...(opts !== undefined && { opts: JSON.parse(opts) }),
    ...(timestamp !== undefined && { isOfNow: isOfNow(timestamp) }),
    ...(processedOn !== undefined && { isTakenNow: isOfNow(processedOn) }),
  };
}

const isOfNow = (ms: string): boolean => Math.abs(Number(ms) - Date.now()) < 10_000;
