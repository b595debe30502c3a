import { execFile, spawnSync } from 'node:child_process';
import { copyFile, mkdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** Kept between runs: the contents of the base images, and the layers of built images. */
const folder = '/var/tmp/switchyard-containers';

/** Why no container can be run here; undefined if one can. */
export function whyNoContainers(): string | undefined {
  if (process.getuid?.() !== 0) return 'containers are run as root here';
  const missing = ['podman', 'runc', 'mmdebstrap'].filter((program) => spawnSync(program, ['--version']).error);
  return missing.length > 0 ? `${missing.join(', ')} is missing` : undefined;
}

/** Podman with its own store. @returns the output; rejects with the error output */
export async function podman(...args: readonly string[]): Promise<string> {
  const own = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run'), '--storage-driver', 'overlay'];
  const env = { ...process.env, CONTAINERS_CONF: join(folder, 'containers.conf') };
  const all = [...own, '--cgroup-manager', 'cgroupfs', '--events-backend', 'file', ...args];
  const { stdout, stderr } = await promisify(execFile)('podman', all, { env, maxBuffer: 2 ** 28 });
  return args[0] === 'logs' ? stdout + stderr : stdout.trim();
}

/**
 * Builds substitutes for the base images of the Dockerfile, under their names: Debian's packages, with this machine's
 * Node, npm and trusted certificates.
 */
export async function makeBaseImages(): Promise<void> {
  await mkdir(folder, { recursive: true });
  const limits = 'default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]';
  await writeFile(join(folder, 'containers.conf'), `[containers]\n${limits}\n[engine]\nruntime = "runc"\n`);
  const { node, distroless } = await baseImages();
  await debian('node.tar', '--variant=apt', '--include=ca-certificates,libstdc++6');
  const inDistroless =
    'base-files,netbase,tzdata,ca-certificates,media-types,libc6,libssl3,libgcc-s1,libgomp1,libstdc++6';
  await debian('distroless.tar', '--variant=extract', `--include=${inDistroless}`);
  await podman('import', join(folder, 'distroless.tar'), distroless);
  await copyFile(process.execPath, join(folder, 'node'));
  await promisify(execFile)('cp', ['-RT', await npmFolder(), join(folder, 'npm')]);
  await copyFile('/etc/ssl/certs/ca-certificates.crt', join(folder, 'ca.crt'));
  await writeFile(join(folder, 'npmrc'), 'cafile=/etc/ssl/certs/ca-certificates.crt\n');
  await writeFile(
    join(folder, 'Dockerfile'),
    `FROM scratch
ADD node.tar /
COPY ca.crt /etc/ssl/certs/ca-certificates.crt
COPY npmrc /usr/local/etc/npmrc
COPY npm /usr/local/lib/node_modules/npm
COPY node /usr/local/bin/node
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
`,
  );
  await writeFile(join(folder, '.dockerignore'), 'store\nrun\n');
  await podman('build', '--isolation', 'chroot', '--tag', node, folder);
}

/** As the Dockerfile names them. */
async function baseImages(): Promise<{ readonly node: string; readonly distroless: string }> {
  const text = await readFile('Dockerfile', 'utf8');
  const [, node = ''] = /^FROM (node:\S+)/m.exec(text) ?? [];
  const [, distroless = ''] = /^FROM (gcr\.io\/\S+)/m.exec(text) ?? [];
  return { node: `docker.io/library/${node}`, distroless };
}

/** A tar of packages of the images' Debian release, unless it exists. */
async function debian(name: string, ...options: readonly string[]): Promise<void> {
  const file = join(folder, name);
  const isThere = await stat(file).then(
    () => true,
    () => false,
  );
  if (!isThere) await promisify(execFile)('mmdebstrap', ['--mode=root', ...options, 'bookworm', file]);
}

async function npmFolder(): Promise<string> {
  const { stdout } = await promisify(execFile)('which', ['npm']);
  return dirname(dirname(await realpath(stdout.trim())));
}
