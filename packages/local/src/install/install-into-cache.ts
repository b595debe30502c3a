import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Environment, platformName, redisCacheFolder } from '../redis/find-redis.ts';

/** An installed program, which gets a wrapper in `bin`. */
export interface InstalledProgram {
  readonly name: string;
  /** Path in the installed folder. */
  readonly file: string;
  /** Folders of the libraries that it needs, as paths in the installed folder. */
  readonly libraries?: readonly string[];
}

/**
 * Installs a folder into the cache, completely or not at all.
 * @param unpack writes the files into a temporary folder
 * @throws {Error} it failed, or the server does not run here
 */
export async function installIntoCache(
  name: string,
  environment: Environment,
  unpack: (draft: string) => Promise<readonly InstalledProgram[]>,
): Promise<void> {
  const cache = redisCacheFolder(environment);
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(join(cache, '.draft-'));
  const folder = join(cache, `${name}-${platformName}`);
  try {
    const programs = await unpack(draft);
    await requireRuns(draft, programs);
    await writeWrappers(draft, folder, programs);
    await rm(folder, { recursive: true, force: true });
    await rename(draft, folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Runs the server, which is the first program, to check that it works here. */
async function requireRuns(draft: string, [server]: readonly InstalledProgram[]): Promise<void> {
  if (!server) throw new Error('the package contains no server');
  await promisify(execFile)('/bin/sh', ['-c', commandOf(server, draft), 'sh', '--version'], { timeout: 10_000 });
}

async function writeWrappers(draft: string, folder: string, programs: readonly InstalledProgram[]): Promise<void> {
  await mkdir(join(draft, 'bin'), { recursive: true });
  for (const program of programs) {
    const file = join(draft, 'bin', program.name);
    await writeFile(file, `#!/bin/sh\n${commandOf(program, folder)}\n`);
    await chmod(file, 0o755);
  }
}

/** The command line of a program, with a library path for this program only. */
function commandOf({ file, libraries = [] }: InstalledProgram, folder: string): string {
  const path = libraries.map((each) => join(folder, each)).join(':');
  const settings = path ? `env LD_LIBRARY_PATH=${quoted(path)} ` : '';
  return `exec ${settings}${quoted(join(folder, file))} "$@"`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
