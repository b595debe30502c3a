import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { RefusedError } from '@switchyard/agent/runtime';
import { bubblewrap } from './bubblewrap.ts';
import type { Sandbox, SandboxPaths } from './sandbox.ts';
import { unshareSandbox } from './unshare.ts';

/**
 * - `auto`: bubblewrap or unshare, if one of them works; otherwise the program runs unconfined, with a warning.
 * - `required`: turns fail if neither works.
 * - `off`: unconfined, without a warning.
 * - a sandbox of your own: turns fail if it does not work.
 */
export type SandboxSetting = 'auto' | 'required' | 'off' | Sandbox;

/** Returns a command line that runs the program in a sandbox, or the program itself if there is no sandbox. */
export type Confine = (program: readonly string[], paths: SandboxPaths) => Promise<readonly string[]>;

const probeTimeoutMs = 10_000;
const probeExitCode = 42;

/** A sandbox is tried before its first use. Once one has worked, no program runs without it. */
export function confinement(setting: SandboxSetting = 'auto', ready = [bubblewrap(), unshareSandbox()]): Confine {
  if (setting === 'off') return async (program) => program;
  const candidates = typeof setting === 'string' ? ready : [setting];
  let chosen: Sandbox | undefined;
  let hasWarned = false;
  return async (program, paths) => {
    chosen ??= await firstThatWorks(candidates, paths);
    if (chosen) return chosen.wrap(program, paths);
    if (setting !== 'auto' || paths.network === 'none') {
      throw new RefusedError('program-failed', 'This agent cannot run here.', {
        code: 'sandbox',
        cause: new Error(`No sandbox works: ${tried(candidates)}`),
      });
    }
    if (!hasWarned)
      process.emitWarning(`No sandbox works (${tried(candidates)}): ${unconfined}`, { code: 'UNCONFINED' });
    hasWarned = true;
    return program;
  };
}

const unconfined =
  'programs of this agent can read everything that this process can, including its environment and other workspaces.';

function tried(candidates: readonly Sandbox[]): string {
  return candidates.map(({ name }) => name).join(', ');
}

async function firstThatWorks(candidates: readonly Sandbox[], paths: SandboxPaths): Promise<Sandbox | undefined> {
  for (const sandbox of candidates) if (await works(sandbox, paths)) return sandbox;
  return undefined;
}

/** Runs a program in the sandbox: it may be installed, but containers and distributions may forbid namespaces. */
export async function works(sandbox: Sandbox, paths: SandboxPaths): Promise<boolean> {
  const [command = '', ...args] = sandbox.wrap(['/bin/sh', '-c', `exit ${probeExitCode}`], paths);
  const probe = spawn(command, args, {
    cwd: paths.workspace,
    env: { PATH: '/usr/bin:/bin' },
    stdio: 'ignore',
    timeout: probeTimeoutMs,
    killSignal: 'SIGKILL',
  });
  const [code] = await once(probe, 'exit').catch(() => [undefined]);
  return code === probeExitCode;
}
