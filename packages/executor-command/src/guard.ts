import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { guardScript } from './guard-script.ts';
import { signalGroup } from './process-group.ts';
import type { RunClaim, RunFolder } from './run-folder.ts';

/** A program as it is to be started. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  /** How long the program goes on without a worker. */
  readonly orphanTimeoutMs: number;
}

/** The guard is gone without having said how the program ended: killed, or the machine went down. */
export class ProgramLost extends Error {
  override readonly name = 'ProgramLost';
}

const lookEveryMs = 100;
const leaseEveryMs = 1_000;
/** The guard gives a sign of life every second, and so does a worker. */
const guardSilenceMs = 4_000;
const leastPatienceSeconds = 3;

/** @returns the id of its process group */
export async function spawnGuard(folder: RunFolder, launch: Launch): Promise<number> {
  const { command, args, cwd, env, orphanTimeoutMs } = launch;
  const patience = String(Math.max(Math.ceil(orphanTimeoutMs / 1000), leastPatienceSeconds));
  const guard = spawn('/bin/sh', ['-c', guardScript, 'guard', folder.path, patience, command, ...args], {
    cwd,
    env,
    detached: true,
    stdio: 'ignore',
  });
  guard.unref();
  await once(guard, 'spawn');
  return guard.pid ?? 0;
}

/** Watches the guard's signs of life, and shows it ours. */
export class GuardWatch {
  readonly #folder: RunFolder;
  #beat: string | undefined;
  #beatAt = Date.now();
  #leaseAt = 0;

  constructor(folder: RunFolder) {
    this.#folder = folder;
  }

  async look(): Promise<void> {
    if (Date.now() - this.#leaseAt < leaseEveryMs) return;
    this.#leaseAt = Date.now();
    await this.#folder.renewLease();
    const beat = await this.#folder.beat();
    if (beat !== this.#beat) this.#beatAt = Date.now();
    this.#beat = beat;
    if (Date.now() - this.#beatAt < guardSilenceMs || (await this.#folder.hasEnded())) return;
    throw new ProgramLost('The guard of the program gives no sign of life.');
  }
}

/** Whether the run has a result, or still runs and may go on. One that is being stopped is waited for. */
export async function isUsable(folder: RunFolder, claim: RunClaim): Promise<boolean> {
  const first = await folder.beat();
  for (let beat = first, since = Date.now(); Date.now() - since < guardSilenceMs; ) {
    // In this order: the guard ends after it has said how the program ended.
    const isGone = await isGroupGone(folder, claim);
    if (isGone || (await folder.hasEnded())) return (await folder.exitCode()) !== undefined;
    const now = await folder.beat();
    if (now !== beat && !(await folder.isStopping())) return true;
    if (now !== beat) since = Date.now();
    beat = now;
    await delay(lookEveryMs);
  }
  return false;
}

/** Only of a group of this machine that is known to have begun. */
async function isGroupGone(folder: RunFolder, { host }: RunClaim): Promise<boolean> {
  const groupId = host === hostname() ? await folder.groupId() : undefined;
  return groupId !== undefined && !signalGroup(groupId, 0);
}
