import { execFile, spawnSync } from 'node:child_process';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '@switchyard/local';

const execute = promisify(execFile);

/** A PostgreSQL of its own, with the settings that it comes with. */
export interface Postgres extends AsyncDisposable {
  /** As SQLAlchemy writes it. */
  readonly url: string;
}

/** Why there is no PostgreSQL here; undefined if there is. */
export function missingPostgres(): string | undefined {
  return findPostgres() === undefined ? 'PostgreSQL (initdb, pg_ctl) is not installed' : undefined;
}

export async function startPostgres(): Promise<Postgres> {
  const [bin, folder, port] = [
    findPostgres() ?? '',
    await mkdtemp(join(tmpdir(), 'bench-postgres-')),
    await freePort(),
  ];
  const user = await ordinaryUser();
  await chown(folder, user.uid ?? -1, user.gid ?? -1);
  const run = (program: string, ...args: string[]) => execute(join(bin, program), args, { cwd: folder, ...user });
  const data = join(folder, 'data');
  await run('initdb', '-D', data, '-U', 'bench', '-A', 'trust', '-E', 'UTF8');
  const options = `-p ${port} -h 127.0.0.1 -k ${folder} -c max_connections=200`;
  await run('pg_ctl', '-D', data, '-w', '-l', join(folder, 'log'), '-o', options, 'start');
  return {
    url: `postgresql+asyncpg://bench@127.0.0.1:${port}/postgres`,
    async [Symbol.asyncDispose]() {
      await run('pg_ctl', '-D', data, '-m', 'immediate', 'stop');
      // Its processes write until they have ended.
      await delay(200);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The folder of its programs. */
function findPostgres(): string | undefined {
  const { stdout } = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' });
  const folders = [stdout?.trim(), ...[18, 17, 16, 15, 14].map((version) => `/usr/lib/postgresql/${version}/bin`)];
  return folders.find((folder) => folder && spawnSync(join(folder, 'pg_ctl'), ['--version']).status === 0);
}

/** PostgreSQL refuses to run as root. */
async function ordinaryUser(): Promise<{ readonly uid?: number; readonly gid?: number }> {
  if (process.getuid?.() !== 0) return {};
  const idOf = async (kind: string): Promise<number> => Number((await execute('id', [kind, 'postgres'])).stdout);
  return { uid: await idOf('-u'), gid: await idOf('-g') };
}
