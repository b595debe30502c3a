import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { keepsFilesIn } from './redis-command.ts';

/** Who works on a folder of Redis files, and where its Redis answers. */
interface Owner {
  readonly pid: number;
  readonly port: number;
}

class FolderInUse extends Error {
  override readonly name = 'FolderInUse';
  readonly owner: Owner;

  constructor(folder: string, owner: Owner) {
    super(
      `Switchyard already runs here (process ${owner.pid}, its Redis on port ${owner.port} keeps ${folder}). ` +
        `Stop it first; to run beside it, set DATA_DIR to another folder and PORT to another port.`,
    );
    this.owner = owner;
  }
}

/**
 * Two Redis processes on one append-only file would ruin it. A small file names the owner of the folder; it counts only
 * if its process runs, so that a crash does not lock the folder. Returns the release. Throws FolderInUse.
 */
export async function lockFolder(folder: string, port: number): Promise<() => Promise<void>> {
  const file = join(folder, 'owner.json');
  for (;;) {
    if (await claim(file, { pid: process.pid, port })) return () => rm(file, { force: true });
    const owner = await readOwner(file);
    if (owner) await waitForEnd(folder, owner);
    await rm(file, { force: true });
  }
}

async function claim(file: string, owner: Owner): Promise<boolean> {
  try {
    await writeFile(file, JSON.stringify(owner), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

async function readOwner(file: string): Promise<Owner | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Owner;
  } catch {
    // Deleted meanwhile, or truncated by a crash: there is no owner.
    return undefined;
  }
}

/**
 * Returns once nothing serves the folder. An owner that was killed leaves a Redis that is just ending: that is waited
 * for. A living process with that id may be another program by now: it counts only if its Redis answers within 3 s.
 */
async function waitForEnd(folder: string, owner: Owner): Promise<void> {
  const deadline = Date.now() + 10_000;
  const startingUntil = Date.now() + 3_000;
  while (Date.now() < deadline) {
    const serves = await keepsFilesIn(folder, owner.port);
    if (serves && isAlive(owner.pid)) throw new FolderInUse(folder, owner);
    if (!serves && (!isAlive(owner.pid) || Date.now() > startingUntil)) return;
    await delay(50);
  }
  throw new FolderInUse(folder, owner);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
