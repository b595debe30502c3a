import { readdirSync, readFileSync } from 'node:fs';

/** What processes use of the machine. Linux only; NaN for a process that has ended. */

/**
 * Microseconds of processor time of a process, user and system together, from the scheduler: the hundredths of a second
 * in `/proc/<pid>/stat` are too coarse for an idle process. Threads that have ended are not included.
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

/** The share of one processor that each process used during an action; 1 is a whole one. */
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

/** A process or thread may have ended meanwhile. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Runs an action, and returns by how many bytes of resident memory each process has grown at most meanwhile. */
export async function growthOf(pids: readonly number[], act: () => Promise<void>): Promise<number[]> {
  const before = pids.map(residentBytes);
  const peaks = [...before];
  const look = setInterval(() => {
    for (const [i, pid] of pids.entries()) peaks[i] = Math.max(peaks[i] ?? 0, residentBytes(pid));
  }, 20);
  await act().finally(() => clearInterval(look));
  return peaks.map((peak, i) => peak - (before[i] ?? 0));
}
