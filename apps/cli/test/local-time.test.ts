import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { localTime } from '../src/output/local-time.ts';

/** In a process with the time zone. */
async function timeIn(TZ: string, timestamp: string): Promise<string> {
  const module = new URL('../src/output/local-time.ts', import.meta.url).href;
  const program = `import { localTime } from '${module}'; process.stdout.write(localTime('${timestamp}'))`;
  const env = { PATH: process.env.PATH ?? '', TZ };
  return (await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { env })).stdout;
}

describe('a time for people', () => {
  it('is that of the clock, with its distance to UTC', async () => {
    expect(await timeIn('Asia/Kolkata', '2026-11-27T23:00:05.123Z')).toBe('2026-11-28 04:30:05 +05:30');
    expect(await timeIn('America/St_Johns', '2026-01-01T00:00:00Z')).toBe('2025-12-31 20:30:00 -03:30');
    expect(await timeIn('UTC', '2026-11-27T23:00:05Z')).toBe('2026-11-27 23:00:05 +00:00');
  });

  it('stays as it is if it is no time', () => {
    expect([localTime('soon'), localTime(undefined)]).toEqual(['soon', undefined]);
  });
});
