import { readdirSync, readFileSync } from 'node:fs';

/** What processes use of the machine. Linux only; of a process that is gone, NaN. */

/**
 * Microseconds of processor that a process has used, user and system together. From the scheduler, to the nanosecond:
 * what `/proc/<pid>/stat` counts in hundredths of a second is too coarse for a process that idles. Threads that have
 * ended do not count.
 */
export function processorMicros(pid: number): number {
  let threads: string[];
  try {
    threads = readdirSync(`/proc/${pid}/task`);
  } catch {
    return Number.NaN;
  }
  const nanoseconds = threads.map((thread) => Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0]));
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1_000;
}

/** Resident memory of a process in bytes. */
export function residentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(read(`/proc/${pid}/status`))?.[1]) * 1_024;
}

/** Share of one processor that each process used while something ran, 1 = a whole one. */
export async function cpuShares<T>(
  pids: Readonly<Record<string, number>>,
  act: () => Promise<T>,
): Promise<{ result: T; shares: Record<string, number> }> {
  const before = Object.entries(pids).map(([name, pid]) => ({ name, pid, used: processorMicros(pid) }));
  const begun = performance.now();
  const result = await act();
  const micros = (performance.now() - begun) * 1_000;
  const shares = Object.fromEntries(
    before.map(({ name, pid, used }) => [name, (processorMicros(pid) - used) / micros]),
  );
  return { result, shares };
}

/** A process or a thread may have ended meanwhile. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
