import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';

/**
 * The child runs beside a `cat` that reads our end of a pipe. The pipe closes when we close it or when we die, however
 * we die (SIGKILL too), and then the child gets SIGTERM: one way to end, wanted or not, and no orphans.
 * File descriptor 3 tells us the child's own process id.
 */
const guardScript = `
exec 4<&0
"$@" </dev/null 3>&- 4<&- &
child=$!
echo "$child" >&3
exec 3>&-
(cat <&4 >/dev/null; kill -TERM "$child") >/dev/null 2>&1 &
watch=$!
exec 4<&-
trap '' TERM INT HUP
wait "$child" 2>/dev/null
code=$?
kill "$watch" 2>/dev/null
exit "$code"
`;

export interface GuardedOptions {
  readonly cwd?: string;
  /** The whole environment of the child; ours when left out. */
  readonly env?: NodeJS.ProcessEnv;
}

/** A child process that cannot outlive this process. */
export interface Guarded {
  /** Of the program itself, not of the shell that guards it. */
  readonly pid: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The exit code; 128 + n when signal n ended it. */
  readonly exited: Promise<number>;
  isRunning(): boolean;
  /** SIGTERM, then SIGKILL after `withinMs` (default 5,000; 0 is SIGKILL at once). Idempotent; resolves once it is gone. */
  stop(withinMs?: number): Promise<number>;
}

/** Starts a program in a process group of its own (Ctrl-C in the terminal reaches us only) and ties its life to ours. */
export async function spawnGuarded(
  command: string,
  args: readonly string[],
  options: GuardedOptions = {},
): Promise<Guarded> {
  const shell = spawn('/bin/sh', ['-c', guardScript, 'guard', command, ...args], {
    ...options,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  const exited = exitCode(shell);
  // Passed through from the first moment: Node throws away what a dead child said and nobody has read yet.
  const output = { stdout: new PassThrough(), stderr: new PassThrough() };
  shell.stdout.pipe(output.stdout);
  shell.stderr.pipe(output.stderr);
  const pid = await readPid(shell.stdio[3]);
  let running = true;
  exited.then(() => {
    running = false;
  });
  return {
    pid,
    ...output,
    exited,
    isRunning: () => running,
    stop: (withinMs = 5_000) => stop({ shell, pid, exited, withinMs }),
  };
}

async function readPid(pipe: unknown): Promise<number> {
  if (!(pipe instanceof Readable)) throw new Error('the guard has no pipe to tell the process id');
  let text = '';
  for await (const chunk of pipe) text += String(chunk);
  return Number(text);
}

async function exitCode(shell: ChildProcess): Promise<number> {
  const [code] = await once(shell, 'exit');
  return typeof code === 'number' ? code : 128;
}

interface Stop {
  readonly shell: ChildProcess;
  readonly pid: number;
  readonly exited: Promise<number>;
  readonly withinMs: number;
}

async function stop({ shell, pid, exited, withinMs }: Stop): Promise<number> {
  if (withinMs > 0) shell.stdin?.destroy();
  const timer = setTimeout(() => kill(pid), withinMs);
  try {
    return await exited;
  } finally {
    clearTimeout(timer);
  }
}

/** The program alone: the shell then reaps it and ends with its exit code. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
