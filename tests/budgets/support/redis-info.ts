import { askRedis } from '@switchyard/local';

/** What a Redis has done so far. */
export interface RedisCounts {
  /** Scripts that were run. */
  readonly scripts: number;
  /** Commands that were run, those of scripts and the scripts themselves included. */
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

/** The reply as it comes. */
export function ask(redisUrl: string, command: string): Promise<string> {
  return askRedis(Number(new URL(redisUrl).port), command, 5_000);
}
