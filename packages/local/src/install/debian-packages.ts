import { execFile } from 'node:child_process';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Environment, findOnPath } from '../redis/find-redis.ts';
import { type InstalledProgram, installIntoCache } from './install-into-cache.ts';

const downloadOptions = { timeout: 180_000 };

/** Whether this is Debian, Ubuntu or a similar distribution. */
export function hasDebianPackages(environment: Environment): boolean {
  return ['apt-get', 'apt-cache', 'dpkg-deb'].every((program) => findOnPath([program], environment));
}

/** Downloads Redis with apt, which checks signatures, and unpacks it. Neither needs root. */
export async function installDebianPackages(environment: Environment): Promise<void> {
  await installIntoCache('debian', environment, async (draft) => {
    const apt = await openApt(draft, environment);
    await apt.unpack(['redis-server', 'redis-tools']);
    if ((await missingLibraries(draft, environment)).length > 0) await apt.unpack(await apt.librariesOf('redis-tools'));
    await apt.clean();
    const libraries = await libraryFolders(draft);
    return ['redis-server', 'redis-cli'].map(
      (name): InstalledProgram => ({ name, file: `usr/bin/${name}`, libraries }),
    );
  });
}

/** apt. If the system has no package lists, which only root could download, it uses its own. */
async function openApt(draft: string, environment: Environment) {
  const run = (program: string, args: readonly string[], cwd = draft): Promise<{ stdout: string }> =>
    promisify(execFile)(program, [...args], { cwd, env: { ...environment, LC_ALL: 'C' }, ...downloadOptions });
  const knowsRedis = (options: readonly string[]): Promise<boolean> =>
    run('apt-cache', [...options, 'show', 'redis-server']).then(
      ({ stdout }) => stdout.includes('Filename:'),
      () => false,
    );
  const state = join(draft, '.apt');
  const archives = join(state, 'archives');
  await mkdir(archives, { recursive: true });
  const options = (await knowsRedis([])) ? [] : await ownLists();

  async function ownLists(): Promise<readonly string[]> {
    await mkdir(join(state, 'lists/partial'), { recursive: true });
    await mkdir(join(state, 'cache/archives/partial'), { recursive: true });
    const own = ['-o', `Dir::State::Lists=${state}/lists`, '-o', `Dir::Cache=${state}/cache`];
    await run('apt-get', [...own, '-qq', 'update']);
    return own;
  }

  return {
    async unpack(names: readonly string[]): Promise<void> {
      await run('apt-get', [...options, '-qq', 'download', ...names], archives);
      for (const archive of await readdir(archives)) await run('dpkg-deb', ['-x', join(archives, archive), draft]);
    },
    clean: (): Promise<void> => rm(state, { recursive: true }),
    /** All libraries that a package depends on, without the C library, which every system has. */
    async librariesOf(name: string): Promise<readonly string[]> {
      const hard = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'].map(
        (each) => `--no-${each}`,
      );
      const { stdout } = await run('apt-cache', [...options, 'depends', '--recurse', ...hard, name]);
      const names = stdout.split('\n').filter((line) => /^(?:lib|lua)[\w.+-]+$/.test(line));
      return names.filter((each) => !/^(?:libc6|libgcc-s1|libc-bin)$/.test(each));
    },
  };
}

async function missingLibraries(draft: string, environment: Environment): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)('ldd', [join(draft, 'usr/bin/redis-check-rdb')], {
    env: { ...environment, LC_ALL: 'C' },
  });
  return stdout.split('\n').filter((line) => line.includes('not found'));
}

/** Such as `usr/lib/x86_64-linux-gnu`. */
async function libraryFolders(draft: string): Promise<readonly string[]> {
  const entries = await readdir(join(draft, 'usr/lib'), { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && /-linux-/.test(entry.name))
    .map(({ name }) => `usr/lib/${name}`);
}
