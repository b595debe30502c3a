import { readdirSync, readFileSync } from 'node:fs';

/**
 * Microseconds of processor that a process has used. From the scheduler, to the nanosecond: what `/proc/<pid>/stat` counts in
 * hundredths of a second is too coarse for a process that idles. Linux only.
 */
export function processorMicros(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) => Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0]));
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1_000;
}

/** A thread may end between the listing and the reading. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '0';
  }
}
