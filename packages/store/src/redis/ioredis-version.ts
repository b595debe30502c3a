import { createRequire } from 'node:module';

/**
 * The version whose insides `script-command.ts` (how a command becomes bytes) and `deadline.ts` (the method in which
 * every command ends) override.
 */
const KNOWN = '6.0.0';

const { version: installed }: { version: string } = createRequire(import.meta.url)('ioredis/package.json');

/** Why the installed ioredis cannot be used; undefined if it can. */
export function ioredisProblem(version = installed): string | undefined {
  if (version === KNOWN) return undefined;
  return `ioredis ${version} is installed, and this store overrides insides of ${KNOWN}: install that version.`;
}
