import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** Processor seconds that a process has used, of user and system together. Linux only; NaN elsewhere. */
function cpuSeconds(pid: number): number {
  const stat = read(`/proc/${pid}/stat`);
  const [, utime, stime] = /^\d+ \(.*\) (?:\S+ ){11}(\d+) (\d+)/.exec(stat) ?? [];
  return (Number(utime) + Number(stime)) / TICKS_PER_SECOND;
}

/** Resident memory of a process in bytes. */
export function residentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(read(`/proc/${pid}/status`))?.[1]) * 1_024;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // the process is gone, or this is not Linux
  }
}

/** Share of one processor that each process used while something ran, 1 = a whole one. */
export async function cpuShares<T>(
  pids: Readonly<Record<string, number>>,
  act: () => Promise<T>,
): Promise<{ result: T; shares: Record<string, number> }> {
  const before = Object.entries(pids).map(([name, pid]) => ({ name, pid, used: cpuSeconds(pid) }));
  const begun = performance.now();
  const result = await act();
  const seconds = (performance.now() - begun) / 1_000;
  const shares = Object.fromEntries(before.map(({ name, pid, used }) => [name, (cpuSeconds(pid) - used) / seconds]));
  return { result, shares };
}
