import { createRequire } from 'node:module';

/**
 * The version whose insides `script-command.ts` (how a command becomes bytes) and `deadline.ts` (the method in which
 * every command ends) override.
 */
const KNOWN_IOREDIS = '6.0.0';

/** Why the installed ioredis cannot be used; undefined if it can. */
export function ioredisProblem(version = installedVersion()): string | undefined {
  if (version === KNOWN_IOREDIS) return undefined;
  return `ioredis ${version} is installed, and this store overrides insides of ${KNOWN_IOREDIS}: install that version.`;
}

function installedVersion(): string {
  const { version }: { version: string } = createRequire(import.meta.url)('ioredis/package.json');
  return version;
}
