import type { Redis } from 'ioredis';
import { processorMicros } from '../../../tests/support/process-usage.ts';
import type { Stage } from '../../bench/stage.ts';
import type { Cost } from '../figures.ts';

/** The measured processes, by their ids. No worker: none runs. */
export type Watched = { readonly redis: Redis; readonly gateway: number; readonly worker?: number | undefined };

export const watchedOn = (stage: Stage): Watched => ({
  redis: stage.redis,
  gateway: stage.gateway.pid,
  worker: stage.worker?.pid,
});

async function reading({ redis, gateway, worker }: Watched): Promise<Cost> {
  const text = await info(redis);
  return {
    gateway: processorMicros(gateway),
    worker: worker === undefined ? 0 : processorMicros(worker),
    redis: mainThreadMicros(text),
    fileBytes: number(text, 'aof_current_size'),
    netBytes: number(text, 'total_net_input_bytes') + number(text, 'total_net_output_bytes'),
    published: Number(/^cmdstat_publish:calls=(\d+)/m.exec(text)?.[1] ?? 0),
  };
}

/** The cost of an action in each process. */
export async function costOf(watched: Watched, act: () => Promise<unknown>): Promise<Cost> {
  const before = await reading(watched);
  await act();
  return minus(await reading(watched), before);
}

const combine = (a: Cost, b: Cost, how: (a: number, b: number) => number): Cost => ({
  gateway: how(a.gateway, b.gateway),
  worker: how(a.worker, b.worker),
  redis: how(a.redis, b.redis),
  fileBytes: how(a.fileBytes, b.fileBytes),
  netBytes: how(a.netBytes, b.netBytes),
  published: how(a.published, b.published),
});

export const minus = (a: Cost, b: Cost): Cost => combine(a, b, (x, y) => x - y);
const least = (a: Cost, b: Cost): Cost => combine(a, b, Math.min);

/** What disturbs a measurement makes it larger, never smaller: the least of several is nearest to the truth. */
export async function leastOf(rounds: number, measure: () => Promise<Cost>): Promise<Cost> {
  let cost = await measure();
  for (let round = 1; round < rounds; round++) cost = least(cost, await measure());
  return cost;
}

/** A negative difference of two measurements is noise. */
export const atLeastNothing = (cost: Cost): Cost => combine(cost, cost, (x) => Math.max(0, x));
export const dividedBy = (cost: Cost, count: number): Cost => combine(cost, cost, (x) => x / count);

/** Everything that Redis tells of itself. */
export const info = (redis: Redis): Promise<string> => redis.info('everything');

/** @throws {Error} Redis does not tell it: an older one */
export function number(text: string, name: string): number {
  const [, value] = new RegExp(`^${name}:([\\d.]+)`, 'm').exec(text) ?? [];
  if (value === undefined) throw new Error(`This Redis does not tell its ${name}: measure with version 7 or later.`);
  return Number(value);
}

export function mainThreadMicros(text: string): number {
  return (number(text, 'used_cpu_user_main_thread') + number(text, 'used_cpu_sys_main_thread')) * 1_000_000;
}
