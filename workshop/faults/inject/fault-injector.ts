import { setTimeout as delay } from 'node:timers/promises';
import type { Fault, Target } from './fault.ts';

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
