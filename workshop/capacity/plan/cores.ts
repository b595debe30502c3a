import type { Cost, Figures } from '../figures/figures.ts';
import type { Load } from './load.ts';

const MICROS = 1_000_000;
type Program = keyof Cost;

/** What the load uses in a second, without what programs use by themselves: microseconds, bytes, messages. */
export function used(program: Program, { operations, idle }: Figures, load: Load): number {
  const { accept, complete, wait, poll, chunk } = operations;
  return (
    load.tasksPerSecond * (accept[program] + complete[program] + load.waiting * wait[program]) +
    load.pollsPerSecond * poll[program] +
    load.chunksPerSecond * chunk[program] +
    load.openStreams * idle.stream[program]
  );
}

/** Of processor time. */
export const coresOf = (program: 'gateway' | 'worker' | 'redis', figures: Figures, load: Load): number =>
  used(program, figures, load) / MICROS;

/**
 * What a Cluster of several masters adds to each of them: every message that is published anywhere goes to every node. A master sends
 * its own, a share of 1/n, to n × (1 + replicas) - 1 others, and receives nearly all: so this is the same however many there are.
 */
export function busCores(figures: Figures, load: Load): number {
  const { send, receive } = figures.publications;
  return (used('published', figures, load) * ((1 + load.replicas) * send + receive)) / MICROS;
}

/** What the idling of one worker asks of each shard, whatever there is to do. */
export const workerCores = ({ idle }: Figures): number => idle.workerShard.redis / MICROS;

/** What the idling of one worker asks of the master that keeps the registry, beside its shard. */
export const registryCores = ({ idle }: Figures): number =>
  Math.max(0, idle.worker.redis - idle.workerShard.redis) / 1_000_000;
