import { spawnSync } from 'node:child_process';
import { type Environment, findOnPath, findRedisServer } from '../redis/find-redis.ts';
import { hasDebianPackages, installDebianPackages } from './debian-packages.ts';
import { installSystemPackage, systemPackage } from './system-package.ts';
import { installWheel, wheelForThisPlatform } from './wheel.ts';

export interface RequireRedisOptions {
  readonly environment: Environment;
  /** Prints a line about the progress. */
  readonly say: (line: string) => void;
  /** Only print the method that would be used. */
  readonly isDryRun?: boolean;
}

/** A way to install a Redis. */
interface InstallMethod {
  readonly text: string;
  readonly run: () => Promise<void>;
}

/**
 * Finds a Redis server on this machine, or installs one.
 * @returns its path; undefined: run Redis in a container
 * @throws {Error} no method worked; the message tells the user what to do
 */
export async function requireRedis({ environment, say, isDryRun }: RequireRedisOptions): Promise<string | undefined> {
  const found = findRedisServer(environment);
  if (found) return found;
  if (isDockerRunning(environment)) {
    say('No redis-server found, but a Docker engine: Redis will run in a container.');
    return undefined;
  }
  for (const { text, run } of installMethods(environment)) {
    say(`No Redis and no Docker engine found: ${text}.`);
    if (isDryRun) return undefined;
    const problem = await run().catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
    const installed = findRedisServer(environment);
    if (installed) return installed;
    say(`  That did not work: ${problem ?? 'it installed no redis-server'}`);
  }
  throw new Error(`No Redis can be installed here. ${whatToDo}`);
}

const whatToDo =
  'Install redis-server (7.0 or later) or valkey-server, start Docker, or set REDIS_URL to a running Redis; ' +
  'then try again.';

/**
 * The methods in order. Root installs the system's package first, as usual in CI and containers. Other users first get
 * a Redis in their cache, which needs no rights; sudo and Homebrew come last, because they change the system.
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
  const cached: (InstallMethod | false | undefined)[] = [
    hasDebianPackages(environment) && {
      text: 'unpacking Debian’s redis-server into the cache (needs no root)',
      run: () => installDebianPackages(environment),
    },
    wheel && {
      text: `downloading ${wheel.name} into the cache (needs no root)`,
      run: () => installWheel(wheel, environment),
    },
  ];
  const methods = isRoot ? [...(installed ?? []), ...cached] : [...cached, ...(installed ?? [])];
  return methods.filter((method) => method !== false && method !== undefined);
}

function isDockerRunning(environment: Environment): boolean {
  if (!findOnPath(['docker'], environment)) return false;
  const options = { stdio: 'ignore', timeout: 5_000, env: { ...environment } } as const;
  return spawnSync('docker', ['version', '--format', '{{.Server.Version}}'], options).status === 0;
}
