// Finds a Redis to run, or brings one, for the set-up of a checkout. With --dry-run it only says how.

import { requireRedis } from './install/require-redis.ts';

const say = (line: string): void => void process.stdout.write(`setup: ${line}\n`);
try {
  await requireRedis({ environment: process.env, say, isDryRun: process.argv.includes('--dry-run') });
} catch (error) {
  process.stderr.write(`setup: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
