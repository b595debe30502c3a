import { createRequire } from 'node:module';

/** The versions whose keys our scripts use: `queue-scripts.test.ts` compares them with BullMQ's own scripts. */
const KNOWN_BULLMQ = /^6\.7\./;
/**
 * The version whose insides `script-command.ts` (how a command becomes bytes) and `deadline.ts` (the method in which
 * every command ends) override.
 */
const KNOWN_IOREDIS = '6.0.0';

/** Why the installed BullMQ cannot be used: another version may store jobs in another way. Undefined if it can. */
export function bullmqProblem(version = installed('bullmq')): string | undefined {
  if (KNOWN_BULLMQ.test(version)) return undefined;
  return `BullMQ ${version} is installed, and this store knows the keys of 6.7: install that version.`;
}

/** Why the installed ioredis cannot be used; undefined if it can. */
export function ioredisProblem(version = installed('ioredis')): string | undefined {
  if (version === KNOWN_IOREDIS) return undefined;
  return `ioredis ${version} is installed, and this store overrides insides of ${KNOWN_IOREDIS}: install that version.`;
}

function installed(name: string): string {
  const { version }: { version: string } = createRequire(import.meta.url)(`${name}/package.json`);
  return version;
}
