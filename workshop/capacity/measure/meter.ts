import type { Redis } from 'ioredis';
import { processorMicros } from '../../../tests/support/process-usage.ts';
import type { Stage } from '../../bench/stage.ts';
import type { Cost } from '../figures.ts';

/** The measured processes, by pid. Without a worker: none runs. */
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
    published: Number(/^cmdstat_spublish:calls=(\d+)/m.exec(text)?.[1] ?? 0),
  };
}

/** The cost of an action in each process. */
export async function costOf(watched: Watched, act: () => Promise<unknown>): Promise<Cost> {
  const before = await reading(watched);
  await act();
  return minus(await reading(watched), before);
}

function combine(a: Cost, b: Cost, how: (a: number, b: number) => number): Cost {
  const names = Object.keys(a) as (keyof Cost)[];
  return Object.fromEntries(names.map((name) => [name, how(a[name], b[name])])) as Record<keyof Cost, number>;
}

export const minus = (a: Cost, b: Cost): Cost => combine(a, b, (x, y) => x - y);
const least = (a: Cost, b: Cost): Cost => combine(a, b, Math.min);

/** Disturbances only add to a measurement: the minimum of several is the most accurate. */
export async function leastOf(rounds: number, measure: () => Promise<Cost>): Promise<Cost> {
  let cost = await measure();
  for (let round = 1; round < rounds; round++) cost = least(cost, await measure());
  return cost;
}

export const dividedBy = (cost: Cost, count: number): Cost => combine(cost, cost, (x) => x / count);

/** Everything in Redis' INFO. */
export const info = (redis: Redis): Promise<string> => redis.info('everything');

/** @throws {Error} an older Redis does not have it */
export function number(text: string, name: string): number {
  const [, value] = new RegExp(`^${name}:([\\d.]+)`, 'm').exec(text) ?? [];
  if (value === undefined) throw new Error(`This Redis does not tell its ${name}: measure with version 7 or later.`);
  return Number(value);
}

export function mainThreadMicros(text: string): number {
  return (number(text, 'used_cpu_user_main_thread') + number(text, 'used_cpu_sys_main_thread')) * 1_000_000;
}
