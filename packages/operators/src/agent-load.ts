import { type QueueSample, queueRoot, queuesOf } from '@switchyard/store/inside';
import type { OperatorDependencies } from './operator-dependencies.ts';

/** The load of some queues together, over all shards. */
export interface QueueSum extends Pick<QueueSample, 'waiting' | 'active' | 'added' | 'began' | 'atMs'> {
  /** How long the next job has waited; 0: no job waits. */
  readonly oldestWaitMs: number;
}

/** @param queues as `queuesOf` */
export async function loadOf({ shards, loads }: OperatorDependencies, queues: readonly string[]): Promise<QueueSum> {
  const roots = queues.flatMap((queue) => shards.all.map((keys) => queueRoot(queue, keys)));
  return sumOf(await Promise.all(roots.map((root) => loads.sample(root))));
}

/** The load of all agents together. */
export async function allLoads(dependencies: OperatorDependencies): Promise<QueueSum> {
  return loadOf(dependencies, (await dependencies.registry.list()).flatMap(queuesOf));
}

function sumOf(samples: readonly QueueSample[]): QueueSum {
  const sum = (name: 'waiting' | 'active' | 'added' | 'began'): number =>
    samples.reduce((total, sample) => total + sample[name], 0);
  return {
    waiting: sum('waiting'),
    active: sum('active'),
    added: sum('added'),
    began: sum('began'),
    oldestWaitMs: Math.max(0, ...samples.map(({ ageMs }) => ageMs)),
    atMs: Math.max(0, ...samples.map(({ atMs }) => atMs)),
  };
}

type Count = Pick<QueueSum, 'began' | 'atMs'>;

/** Rates cover the last five to ten seconds, or the time since the last reading if that is longer. */
const windowMs = 5_000;

/** How many jobs of each agent begin per second, from reading to reading. */
export class BeginRates {
  readonly #samples = new Map<string, { from: Count; last: Count }>();

  /** 0 at the first reading. */
  next(agent: string, { began, atMs }: Count): number {
    const now = { began, atMs };
    const { from, last } = this.#samples.get(agent) ?? { from: now, last: now };
    if (atMs - last.atMs >= windowMs) this.#samples.set(agent, { from: last, last: now });
    else if (from === now) this.#samples.set(agent, { from, last });
    const ms = atMs - from.atMs;
    return ms > 0 ? Math.max(0, ((began - from.began) * 1_000) / ms) : 0;
  }
}
