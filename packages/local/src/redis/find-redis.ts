import { accessSync, constants, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

const servers = ['redis-server', 'valkey-server'];

/** The absolute path of a Redis-compatible server: on PATH, or in the cache for this platform. */
export function findRedisServer(environment: Environment): string | undefined {
  return findOnPath(servers, environment) ?? cachedServers(environment).find(isExecutable);
}

/** The path of the first of these programs that is on PATH. */
export function findOnPath(programs: readonly string[], { PATH = '' }: Environment): string | undefined {
  return PATH.split(delimiter)
    .flatMap((folder) => programs.map((program) => join(folder, program)))
    .find(isExecutable);
}

/** The folder of downloaded servers, each in a folder of its own: `$XDG_CACHE_HOME/switchyard/redis`. */
export function redisCacheFolder({ XDG_CACHE_HOME: cache = '', HOME = homedir() }: Environment): string {
  return join(isAbsolute(cache) ? cache : join(HOME, '.cache'), 'switchyard/redis');
}

/** The suffix of folders in the cache, because machines with different platforms may share a home folder. */
export const platformName = `${process.platform}-${process.arch}`;

function cachedServers(environment: Environment): readonly string[] {
  const cache = redisCacheFolder(environment);
  const folders = foldersIn(cache).filter((name) => name.endsWith(platformName));
  return folders.flatMap((name) => servers.map((server) => join(cache, name, 'bin', server)));
}

function foldersIn(cache: string): readonly string[] {
  try {
    return readdirSync(cache).sort();
  } catch {
    // Nothing was downloaded yet.
    return [];
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
