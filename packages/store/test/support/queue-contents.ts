import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';

type Content = string | string[] | Record<string, unknown>;
type Contents = Readonly<Record<string, Content>>;

/**
 * The contents of a queue's keys, by the ends of their names, without its events.
 * @param root the common beginning of the keys
 */
export async function queueContents(redis: Redis, root: string): Promise<Record<string, Content>> {
  const keys = (await redis.keys(`${root}*`)).filter((key) => !key.endsWith(':events'));
  const contents = await Promise.all(
    keys.map(async (key) => [key.slice(root.length), await contentOf(redis, key)] as const),
  );
  return Object.fromEntries(contents.filter(([, content]) => Object.keys(content).length > 0));
}

/**
 * The same contents in the form of BullMQ: without the fields of the fair queue (tenant, tag, since, begun) and of runs
 * (token, BullMQ's count of lost runs `stc`), and with the waiting jobs as their order and priorities. BullMQ puts lost jobs of any priority into `wait`, and takes these
 * first.
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
  const { tenant: _, tag: __, since: ___, begun: ____, token: _____, stc: ______, ...fields } = content;
  return [key, fields];
}

/** Adds a job with BullMQ's own client. @param priority default: that of jobs that are not awaited */
export async function addWithBullMQ(redis: Redis, root: string, id: string, priority = 4): Promise<void> {
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
  const { opts, timestamp, processedOn: _, 'opts.maxLenEvents': __, ...fields } = await redis.hgetall(key);
  return {
    ...fields,
    ...(opts !== undefined && { opts: optionsIn(opts) }),
    ...(timestamp !== undefined && { isAddedNow: isRecent(timestamp) }),
  };
}

/** BullMQ repeats the job's id in its options, where nothing reads it. */
function optionsIn(json: string): unknown {
  const { jobId: _, ...options }: Record<string, unknown> = JSON.parse(json);
  return options;
}

const isRecent = (ms: string): boolean => Math.abs(Number(ms) - Date.now()) < 10_000;
