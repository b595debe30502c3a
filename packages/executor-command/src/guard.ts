import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { guardScript } from './guard-script.ts';
import type { RunClaim, RunFolder } from './run-folder.ts';

/** How to start a program. */
export interface Launch {
  /** The command and its arguments. */
  readonly program: readonly string[];
  readonly cwd: string;
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  /** How long the program may run without a worker. */
  readonly orphanTimeoutMs: number;
}

/** The guard is gone and has not written the exit code: it was killed, or the machine crashed. */
export class ProgramLost extends Error {
  override readonly name = 'ProgramLost';
}

const checkEveryMs = 100;
const leaseEveryMs = 1_000;
/** The guard and the worker each renew their heartbeat every second. */
const guardTimeoutMs = 4_000;
const minOrphanSeconds = 3;

/** Starts a guard, which runs the program. @returns the id of their process group */
export async function spawnGuard(folder: RunFolder, launch: Launch): Promise<number> {
  const { program, cwd, env, orphanTimeoutMs } = launch;
  const orphanSeconds = String(Math.max(Math.ceil(orphanTimeoutMs / 1000), minOrphanSeconds));
  const guard = spawn('/bin/sh', ['-c', guardScript, 'guard', folder.path, orphanSeconds, ...program], {
    cwd,
    env,
    detached: true,
    stdio: 'ignore',
  });
  guard.unref();
  await once(guard, 'spawn');
  return guard.pid ?? 0;
}

/** Renews the worker's lease of a run, and checks the heartbeat of its guard. */
export class GuardWatch {
  readonly #folder: RunFolder;
  #heartbeat: string | undefined;
  #heartbeatAt = performance.now();
  #leaseAt = Number.NEGATIVE_INFINITY;

  constructor(folder: RunFolder) {
    this.#folder = folder;
  }

  /** @throws {ProgramLost} */
  async renewAndCheck(): Promise<void> {
    if (performance.now() - this.#leaseAt < leaseEveryMs) return;
    this.#leaseAt = performance.now();
    await this.#folder.renewLease();
    const heartbeat = await this.#folder.heartbeat();
    if (heartbeat !== this.#heartbeat) this.#heartbeatAt = performance.now();
    this.#heartbeat = heartbeat;
    if (performance.now() - this.#heartbeatAt < guardTimeoutMs || (await this.#folder.hasEnded())) return;
    throw new ProgramLost('The guard of the program has no heartbeat any more.');
  }
}

/** Whether the program has a result, or still runs and is not being stopped. Waits for the end of a stop. */
export async function isUsable(folder: RunFolder, claim: RunClaim): Promise<boolean> {
  const first = await folder.heartbeat();
  for (let known = first, since = performance.now(); performance.now() - since < guardTimeoutMs; ) {
    // In this order, because the guard writes the exit code before it ends.
    const isGone = await isGroupGone(folder, claim);
    if (isGone || (await folder.hasEnded())) return (await folder.exitCode()) !== undefined;
    const heartbeat = await folder.heartbeat();
    if (heartbeat !== known && !(await folder.isStopping())) return true;
    if (heartbeat !== known) since = performance.now();
    known = heartbeat;
    await delay(checkEveryMs);
  }
  return false;
}

/** Whether the process group is gone; false if that cannot be known, because it runs on another machine. */
async function isGroupGone(folder: RunFolder, { host }: RunClaim): Promise<boolean> {
  const groupId = host === hostname() ? await folder.groupId() : undefined;
  return groupId !== undefined && !signalGroup(groupId, 0);
}

/** Signals every process of a group; 0 sends nothing. @returns whether the group exists */
export function signalGroup(groupId: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-groupId, signal);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'EPERM')) return false;
    throw error;
  }
}
