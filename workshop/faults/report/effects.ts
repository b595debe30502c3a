import { readFile } from 'node:fs/promises';
import type { Violation } from './violations.ts';

/** Milliseconds by a clock that all processes of this machine share and no step of the time of day moves. */
export const machineMs = (): number => Number(process.hrtime.bigint() / 1_000_000n);

/** Agents that began for a task after some client had seen its end. @param endedMs by task, as `machineMs` said */
export async function lateEffects(file: string, endedMs: ReadonlyMap<string, number>): Promise<Violation[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .trim()
    .split('\n')
    .flatMap((line): Violation[] => {
      const [taskId = '', attempt, beganMs] = line.split(' ');
      const late = Number(beganMs) - (endedMs.get(taskId) ?? Number.POSITIVE_INFINITY);
      return late > 0
        ? [{ kind: 'effects', what: `${taskId}: attempt ${attempt} began ${late} ms after its end` }]
        : [];
    });
}
