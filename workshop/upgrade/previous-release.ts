import { execFile } from 'node:child_process';
import { access, cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../..', import.meta.url));

/** It cannot be installed here; the message gives the reason. */
export class NoPreviousRelease extends Error {
  override readonly name = 'NoPreviousRelease';
}

/** The commit of the release from which deployments are upgraded: `tests/release/previous.json` names it. */
export async function previousCommit(): Promise<string> {
  const { commit }: { commit: string } = JSON.parse(
    await readFile(join(repository, 'tests/release/previous.json'), 'utf8'),
  );
  return commit;
}

/** The current agents of the fault suite: an upgrade changes the programs, not the agents. */
const sameAgents = ['agents/scenario-agent.ts', 'workload/scenario.ts'];

/**
 * The folder of a release with the packages of its gateway and worker. Made once for each commit and kept in the
 * temporary folder. @throws {NoPreviousRelease}
 */
export async function checkoutOf(commit: string): Promise<string> {
  const folder = join(tmpdir(), `switchyard-releases-${process.getuid?.() ?? 0}`, commit);
  await access(join(folder, 'package.json')).catch(() => install(commit, folder));
  for (const file of sameAgents) {
    const path = join('workshop/faults', file);
    await cp(join(repository, path), join(folder, path));
  }
  return folder;
}

async function install(commit: string, folder: string): Promise<void> {
  await requireCommit(commit);
  await mkdir(join(folder, '..'), { recursive: true });
  const half = await mkdtemp(`${folder}-`);
  try {
    await run('sh', ['-c', 'git -C "$0" archive "$1" | tar -x -C "$2"', repository, commit, half]);
    const quietly = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', '--loglevel=error'];
    const workspaces = ['apps/gateway', 'apps/worker'].flatMap((name) => ['--workspace', name]);
    // The versions of the lock file; `npm ci` would require packages of other platforms.
    await run('npm', ['install', '--no-save', '--omit=dev', ...workspaces, ...quietly], { cwd: half });
    await rename(half, folder);
  } catch (error) {
    throw new NoPreviousRelease(`the packages of ${commit} cannot be installed: ${error}`);
  } finally {
    await rm(half, { recursive: true, force: true });
  }
}

/** A shallow clone lacks the commit. */
async function requireCommit(commit: string): Promise<void> {
  const isThere = () => run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: repository });
  const fetch = () => run('git', ['fetch', '--quiet', '--depth=1', 'origin', commit], { cwd: repository });
  await isThere()
    .catch(fetch)
    .then(isThere)
    .catch((error: unknown) => {
      throw new NoPreviousRelease(`commit ${commit} is not in this clone, and cannot be fetched: ${error}`);
    });
}
