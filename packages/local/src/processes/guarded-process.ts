import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

/** Time from SIGTERM to SIGKILL after this process has died. */
const orphanGraceSeconds = 5;
/** Time from the end of a program to the exit of its guard. */
const guardReportsWithinMs = 1_000;

/**
 * Runs the child beside a `cat` that reads a pipe from this process. The pipe closes when this process dies, even by
 * SIGKILL: then the child's process group gets SIGTERM, and later SIGKILL, so that no orphans remain. The watch ends
 * only by SIGUSR1, which it ignores after the pipe has closed. File descriptor 3 reports the child's process id; 4 is
 * the child's standard input.
 */
const guardScript = `
exec 5<&0
"$@" <&4 3>&- 4<&- 5<&- &
child=$!
echo "$child" >&3
exec 3>&- 4<&-
trap '' TERM INT HUP
(cat <&5; trap '' USR1; kill -TERM 0; sleep ${orphanGraceSeconds}; kill -KILL 0) >/dev/null 2>&1 &
watch=$!
exec 5<&-
wait "$child" 2>/dev/null
code=$?
kill -USR1 "$watch" 2>/dev/null
exit "$code"
`;

export interface GuardedOptions {
  readonly cwd?: string;
  /** The complete environment of the child. Default: that of this process. */
  readonly env?: NodeJS.ProcessEnv;
  /** Keeps the child's standard input open for writing. Default: false, it is empty. */
  readonly takesInput?: boolean;
}

/** A child process that ends with this process, and its own children with it. */
export interface GuardedProcess {
  /** The id of the program's process, not of the shell that guards it. */
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The exit code; 128 + n if signal n ended the program. */
  readonly exited: Promise<number>;
  isRunning(): boolean;
  /**
   * Sends SIGTERM, and SIGKILL after `withinMs` (default 5,000; 0: SIGKILL at once). Idempotent.
   * @returns the exit code, when the program has ended
   */
  stop(withinMs?: number): Promise<number>;
}

/** Starts a program that ends with this process. It has its own process group, so Ctrl-C reaches only this process. */
export async function spawnGuarded(
  command: string,
  args: readonly string[],
  { takesInput = false, ...options }: GuardedOptions = {},
): Promise<GuardedProcess> {
  const shell = spawn('/bin/sh', ['-c', guardScript, 'guard', command, ...args], {
    ...options,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
  });
  const exited = exitCode(shell);
  // Read from the start, because Node drops the unread output of a process that has ended.
  const output = { stdout: new PassThrough(), stderr: new PassThrough() };
  shell.stdout.pipe(output.stdout);
  shell.stderr.pipe(output.stderr);
  const stdin = inputOf(shell.stdio[4]);
  if (!takesInput) stdin.end();
  const pid = await readPid(shell.stdio[3]);
  let running = true;
  exited.then(() => {
    running = false;
  });
  return {
    pid,
    stdin,
    ...output,
    exited,
    isRunning: () => running,
    stop: async (withinMs = 5_000) => (running ? stop({ pid, shell: shell.pid ?? pid, exited, withinMs }) : exited),
  };
}

async function readPid(pipe: unknown): Promise<number> {
  if (!(pipe instanceof Readable)) throw new Error('the guard has no pipe for the process id');
  let text = '';
  for await (const chunk of pipe) text += String(chunk);
  return Number(text);
}

/** Writing to a child that has ended is not an error. */
function inputOf(pipe: unknown): Writable {
  if (!(pipe instanceof Writable)) throw new Error('the guard has no pipe for the input');
  return pipe.on('error', () => pipe.destroy());
}

async function exitCode(shell: ChildProcess): Promise<number> {
  const [code] = await once(shell, 'exit');
  if (typeof code === 'number') {
    // What the program has started must not outlive it: a frozen one would go on for ever, and keep the pipes open.
    if (shell.pid !== undefined) signal(-shell.pid, 'SIGKILL');
    return code;
  }
  // Only the guard was killed. Its program must not run beside the one that a supervisor starts next.
  if (shell.pid !== undefined) await killGroup(shell.pid);
  return 128 + 9;
}

/** Resolves when no process of the group is left, or after a second: a dead one counts until its parent reaps it. */
async function killGroup(group: number): Promise<void> {
  const deadline = Date.now() + 1_000;
  while (signal(-group, 'SIGKILL') && Date.now() < deadline) await delay(10);
}

interface Stop {
  readonly pid: number;
  /** The process id of the guard, which is also that of the group. */
  readonly shell: number;
  readonly exited: Promise<number>;
  readonly withinMs: number;
}

async function stop({ pid, shell, exited, withinMs }: Stop): Promise<number> {
  if (withinMs > 0) signal(pid, 'SIGTERM');
  const timers = [
    setTimeout(() => signal(pid, 'SIGKILL'), withinMs),
    // The guard itself may be frozen.
    setTimeout(() => signal(-shell, 'SIGKILL'), withinMs + guardReportsWithinMs),
  ];
  try {
    return await exited;
  } finally {
    timers.forEach(clearTimeout);
  }
}

/** @param pid of the program: its shell then ends with its exit code; -n: the group n. @returns whether it exists */
function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    return false;
  }
}
