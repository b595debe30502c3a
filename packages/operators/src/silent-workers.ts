import type { WorkerReading } from './worker-report.ts';

/**
 * ISO time of the last report of any worker of an agent.
 * @returns undefined: one of them answers, or it has none. A worker that was stopped in order does not count.
 */
export function silentSince(workers: readonly WorkerReading[], agent: string): string | undefined {
  const own = workers.filter(({ agents }) => agents.includes(agent));
  if (own.some(({ state }) => state !== 'silent')) return undefined;
  return own
    .map(({ lastHeartbeat }) => lastHeartbeat)
    .sort()
    .at(-1);
}
