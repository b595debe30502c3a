// Finds or installs a Redis, for the setup of a checkout. With --dry-run it only prints the method.

import { requireRedis } from './install/require-redis.ts';

const say = (line: string): void => void process.stdout.write(`setup: ${line}\n`);
try {
  await requireRedis({ environment: process.env, say, isDryRun: process.argv.includes('--dry-run') });
} catch (error) {
  process.stderr.write(`setup: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
