import { setTimeout as delay } from 'node:timers/promises';
import type { Program } from '../../../tests/support/process.ts';
import type { Stack } from '../../../tests/support/stack.ts';
import type { SeededRandom } from '../../statistics.ts';
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

  /** Stops a process with SIGSTOP for a time. */
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
  /** Injects the fault, and repairs it. */
  inject(target: Target): Promise<unknown>;
}

export interface InjectorOptions {
  readonly faults: readonly Fault[];
  readonly count: number;
  /** Between two faults, at random. */
  readonly pauseMs: readonly [least: number, most: number];
  readonly onFault: (name: string, number: number) => void;
}

/** A turn that lost its worker has ended by then: three of these faults, and nothing else, may end a task. */
const BETWEEN_SPENT_ATTEMPTS_MS = 8_000;

/** Injects faults one after the other, every kind before any comes again. @returns how often each */
export async function injectFaults(target: Target, options: InjectorOptions): Promise<Record<string, number>> {
  const done: Record<string, number> = {};
  let left: Fault[] = [];
  let spentAt = Number.NEGATIVE_INFINITY;
  for (let number = 1; number <= options.count; number++) {
    if (left.length === 0) left = [...options.faults];
    const fault = target.random.pick(left);
    left.splice(left.indexOf(fault), 1);
    await delay(target.random.between(...options.pauseMs));
    if (fault.spendsAttempts) await delay(Math.max(0, spentAt + BETWEEN_SPENT_ATTEMPTS_MS - performance.now()));
    await fault.inject(target);
    if (fault.spendsAttempts) spentAt = performance.now();
    done[fault.name] = (done[fault.name] ?? 0) + 1;
    options.onFault(fault.name, number);
  }
  return done;
}
