import { spawnSync } from 'node:child_process';
import { findRedisServer } from '@switchyard/local';

/**
 * The path of a Redis server, which is installed if this machine has none; undefined: a Docker engine runs it.
 * @throws {Error} it cannot be installed
 */
export function requireRedisServer(): string | undefined {
  const setup = spawnSync(process.execPath, ['scripts/setup.mjs', '--redis'], { stdio: 'inherit' });
  if (setup.status !== 0) throw new Error('there is no Redis to run: see above');
  return findRedisServer(process.env.PATH ?? '');
}
