import { setTimeout as delay } from 'node:timers/promises';
import type { Program } from '../../../tests/support/process.ts';
import type { SeededRandom } from '../../../tests/support/seeded-random.ts';
import type { Stack } from '../../../tests/support/stack.ts';
import type { RedisDeployment } from '../support/deployment.ts';

export interface Surroundings {
  readonly stack: Stack;
  readonly redis: RedisDeployment;
  readonly random: SeededRandom;
  readonly say: (line: string) => void;
}

/** Longer than the 3.5 s after which a silent worker is taken for dead. */
const BEYOND_THE_LOCK_MS = 4_500;

type Deed = (surroundings: Surroundings) => Promise<string>;

/** What may happen to a deployment, the likelier the more often it stands here. */
const deeds: readonly Deed[] = [
  killWorker,
  killWorker,
  killWorker,
  freezeWorker,
  stopWorker,
  killGateway,
  killGateway,
  killRedis,
  killRedis,
  freezeRedis,
];

/** Does one deed at random, and puts right what it killed. @returns what it did */
export function strike(surroundings: Surroundings): Promise<string> {
  return surroundings.random.pick(deeds)(surroundings);
}

async function killWorker({ stack, random }: Surroundings): Promise<string> {
  const victim = random.pick(stack.workers);
  await kill(victim, 'SIGKILL');
  await stack.addWorker();
  return 'worker killed';
}

async function stopWorker({ stack, random }: Surroundings): Promise<string> {
  const victim = random.pick(stack.workers);
  await kill(victim, 'SIGTERM');
  await stack.addWorker();
  return 'worker stopped';
}

/** It wakes up believing that nothing has happened. */
async function freezeWorker({ stack, random }: Surroundings): Promise<string> {
  const victim = random.pick(stack.workers);
  victim.kill('SIGSTOP');
  await delay(BEYOND_THE_LOCK_MS);
  victim.kill('SIGCONT');
  return 'worker frozen beyond its lock';
}

async function killGateway({ stack, random }: Surroundings): Promise<string> {
  const victim = random.pick(stack.gateways);
  await kill(victim, 'SIGKILL');
  // In its place: clients know their gateways by their addresses.
  await stack.addGateway(Number(new URL(victim.url).port));
  return 'gateway killed';
}

async function killRedis({ redis, random }: Surroundings): Promise<string> {
  const victim = random.pick(await redis.masters());
  await victim.kill();
  await delay(random.between(0, 1_500));
  await victim.start();
  await redis.settled();
  return 'Redis killed';
}

async function freezeRedis({ redis, random }: Surroundings): Promise<string> {
  const victim = random.pick(await redis.masters());
  victim.freeze();
  await delay(random.between(300, 3_000));
  victim.thaw();
  return 'Redis unreachable';
}

async function kill(victim: Program, signal: NodeJS.Signals): Promise<void> {
  victim.kill(signal);
  await victim.exited;
}
