import { open, rm, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { CommandFailure } from '../failures/failure.ts';

const pollMs = 50;
/** The lock of a process that died. A holder asks one endpoint at most, for ten seconds at most. */
const staleMs = 30_000;
const maxWaitMs = 40_000;

/**
 * Runs something that no other command of this user runs meanwhile. Two commands must not renew the same token: many
 * identity servers take the second use of a refresh token for a theft, and end the login. @throws {CommandFailure}
 */
export async function withFileLock<T>(path: string, run: () => Promise<T>): Promise<T> {
  const endsAt = performance.now() + maxWaitMs;
  while (!(await isTaken(path))) {
    if (performance.now() > endsAt)
      throw new CommandFailure('SWITCHYARD_ERR_LOCKED', `Another command holds ${path}`, {
        hint: 'Try again, or remove it.',
      });
    await delay(pollMs);
  }
  try {
    return await run();
  } finally {
    await rm(path, { force: true });
  }
}

async function isTaken(path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    const since = (await stat(path).catch(() => undefined))?.mtimeMs;
    if (since !== undefined && Date.now() - since > staleMs) await rm(path, { force: true });
    return false;
  }
}
