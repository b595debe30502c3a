import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, spawnGuarded } from '@switchyard/local';
import type { TestPostgres } from './postgres.ts';

export const missingPgBouncer =
  spawnSync('pgbouncer', ['--version']).status === 0 ? undefined : 'pgbouncer is not installed';

interface TestPgBouncer {
  readonly url: string;
  stop(): Promise<void>;
}

/** A PgBouncer in transaction mode, with three connections to the database of a test's PostgreSQL. */
export async function startPgBouncer({ url }: Pick<TestPostgres, 'url'>): Promise<TestPgBouncer> {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-pgbouncer-'));
  const port = await freePort();
  const lines = [
    '[databases]',
    `postgres = host=127.0.0.1 port=${new URL(url).port} dbname=postgres user=postgres`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 3',
  ];
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(file, `${lines.join('\n')}\n`);
  await chmod(folder, 0o755);
  const user = unprivileged();
  if (user) await chown(file, user.uid, user.gid);
  const bouncer = await spawnGuarded('pgbouncer', [file], { cwd: folder, ...user });
  bouncer.stdout.resume();
  bouncer.stderr.resume();
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await bouncer.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** It refuses to run as root, as PostgreSQL does. */
function unprivileged(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (kind: string): number => Number(execFileSync('id', [kind, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}
