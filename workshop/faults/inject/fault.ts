import { setTimeout as delay } from 'node:timers/promises';
import type { Program } from '../../../tests/support/process.ts';
import type { Stack } from '../../../tests/support/stack.ts';
import type { SeededRandom } from '../../seeded-random.ts';
import type { RedisDeployment } from '../redis/deployment.ts';
import type { FaultProxy } from '../redis/fault-proxy.ts';
import type { RedisNode } from '../redis/redis-node.ts';

/** What faults are injected into. */
export class Target {
  readonly stack: Stack;
  readonly redis: RedisDeployment;
  readonly random: SeededRandom;
  /** Ids of processes that a fault has ended: no other may end. */
  readonly victims = new Set<number>();

  constructor(stack: Stack, redis: RedisDeployment, random: SeededRandom) {
    this.stack = stack;
    this.redis = redis;
    this.random = random;
  }

  get worker(): Program {
    return this.random.pick(this.stack.workers);
  }

  async master(): Promise<RedisNode> {
    return this.random.pick(await this.redis.masters());
  }

  /** @throws {Error} clients reach this Redis directly */
  get proxy(): FaultProxy {
    if (!this.redis.proxy) throw new Error('there is no proxy before this Redis');
    return this.redis.proxy;
  }

  async end(victim: Program, signal: NodeJS.Signals): Promise<void> {
    this.victims.add(victim.pid);
    victim.kill(signal);
    await victim.exited;
  }

  /** Stops a process for so long; it wakes up believing that nothing has happened. */
  async freeze(victim: Program, forMs: number): Promise<void> {
    victim.kill('SIGSTOP');
    await delay(forMs);
    victim.kill('SIGCONT');
  }
}

export interface Fault {
  readonly name: string;
  /** Costs the turns of a worker an attempt: not too many of these may follow each other. */
  readonly spendsAttempts?: boolean;
  /** Injects it, and puts right what it broke. */
  inject(target: Target): Promise<unknown>;
}
