import { sendRedisCommand } from '@switchyard/local';

/** Counters of a Redis. */
export interface RedisCounts {
  /** Number of scripts run. */
  readonly scripts: number;
  /** Number of commands run, including scripts and their commands. */
  readonly commands: number;
  /** Size of the append-only file. */
  readonly fileBytes: number;
}

export async function readCounts(redisUrl: string): Promise<RedisCounts> {
  const info = await ask(redisUrl, 'INFO everything');
  const calls = Array.from(info.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm), ([, name, count]) => [name, Number(count)]);
  const byName = Object.fromEntries(calls);
  return {
    scripts: (byName.evalsha ?? 0) + (byName.eval ?? 0),
    commands: Object.values<number>(byName).reduce((sum, count) => sum + count, 0),
    fileBytes: Number(/^aof_current_size:(\d+)/m.exec(info)?.[1]),
  };
}

/** The raw reply. */
export function ask(redisUrl: string, command: string): Promise<string> {
  return sendRedisCommand(Number(new URL(redisUrl).port), command, 5_000);
}
