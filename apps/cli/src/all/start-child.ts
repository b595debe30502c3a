import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Supervised } from '../up/supervise.ts';

/**
 * Starts a program that stops when this process exits, by the IPC channel between them. Needs no shell, which a
 * container may lack.
 */
export async function startChild(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Supervised> {
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const exited = new Promise<number>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ? 128 + constants.signals[signal] : (code ?? 0)));
  });
  await once(child, 'spawn');
  return {
    pid: child.pid ?? 0,
    exited,
    stop: async (withinMs = 5_000) => {
      child.kill('SIGTERM');
      const deadline = setTimeout(() => child.kill('SIGKILL'), withinMs);
      return exited.finally(() => clearTimeout(deadline));
    },
  };
}
