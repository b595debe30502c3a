import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hasFilesIn } from './redis-command.ts';

/** The process that uses a folder of Redis files, and the port of its Redis. */
interface FolderOwner {
  readonly pid: number;
  readonly port: number;
}

class FolderInUse extends Error {
  override readonly name = 'FolderInUse';
  readonly owner: FolderOwner;

  constructor(folder: string, owner: FolderOwner) {
    super(
      `Switchyard already runs here (process ${owner.pid}, its Redis on port ${owner.port} keeps ${folder}). ` +
        `Stop it first; to run beside it, set DATA_DIR to another folder and PORT to another port.`,
    );
    this.owner = owner;
  }
}

/**
 * Locks a folder: two Redis processes would corrupt the append-only file. The lock is a file that names the owner; it
 * counts only while the owner runs, so that a crash does not leave the folder locked.
 * @returns a function that unlocks the folder
 * @throws {FolderInUse}
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

async function claim(file: string, owner: FolderOwner): Promise<boolean> {
  try {
    await writeFile(file, JSON.stringify(owner), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

async function readOwner(file: string): Promise<FolderOwner | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as FolderOwner;
  } catch {
    // The file was deleted meanwhile, or truncated by a crash.
    return undefined;
  }
}

/**
 * Resolves when no Redis uses the folder. The Redis of a killed owner needs a moment to end. A living process may be
 * another program that has got the owner's id: it counts only if the owner's Redis answers within 3 s.
 * @throws {FolderInUse}
 */
async function waitForEnd(folder: string, owner: FolderOwner): Promise<void> {
  const deadline = Date.now() + 10_000;
  const startingUntil = Date.now() + 3_000;
  while (Date.now() < deadline) {
    const serves = await hasFilesIn(folder, owner.port);
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
