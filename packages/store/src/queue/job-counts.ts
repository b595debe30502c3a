import { defineScript, integer, type RedisConnection, tuple } from '@switchyard/redis';

const countJobsScript = defineScript({
  file: 'count-jobs.lua',
  from: import.meta.url,
  keys: ['root'],
  args: [],
  reply: tuple(tuple(integer, integer, integer, integer), integer, integer),
});

/** Jobs by state. `delayed`: they wait for a retry. */
export interface JobCounts {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  /** Those that wait. */
  readonly levels: LevelCounts;
}

/** Jobs that wait, by priority; `first`: before all others, because a turn waits for them, or because they run alone. */
export interface LevelCounts {
  readonly first: number;
  readonly high: number;
  readonly normal: number;
  readonly low: number;
}

/** @param root of the queue's keys */
export async function countJobs(redis: RedisConnection, root: string): Promise<JobCounts> {
  const [[first, high, normal, low], active, delayed] = await countJobsScript.run(redis, { keys: { root }, args: {} });
  return { waiting: first + high + normal + low, active, delayed, levels: { first, high, normal, low } };
}

/** The jobs of several queues together. */
export function sumOfJobs(counts: readonly JobCounts[]): JobCounts {
  const sum = (of: (count: JobCounts) => number): number => counts.reduce((total, count) => total + of(count), 0);
  return {
    waiting: sum(({ waiting }) => waiting),
    active: sum(({ active }) => active),
    delayed: sum(({ delayed }) => delayed),
    levels: {
      first: sum(({ levels }) => levels.first),
      high: sum(({ levels }) => levels.high),
      normal: sum(({ levels }) => levels.normal),
      low: sum(({ levels }) => levels.low),
    },
  };
}
