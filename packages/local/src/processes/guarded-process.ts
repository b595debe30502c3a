import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, Readable, Writable } from 'node:stream';

/**
 * From the SIGTERM that follows our death to the SIGKILL that no process survives, be it frozen or too busy to listen.
 */
const orphanGraceSeconds = 5;

/**
 * The child runs beside a `cat` that reads our end of a pipe. The pipe closes when we die, however we die (SIGKILL
 * too). Then everything in the child's process group gets SIGTERM, and what is still there after the grace SIGKILL: no
 * orphans. The watch itself ends by SIGUSR1 alone, and by nothing any more once we are gone. File descriptor 3 tells us
 * the child's own process id, 4 is its standard input.
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
  /** The whole environment of the child; ours when left out. */
  readonly env?: NodeJS.ProcessEnv;
  /** Its standard input stays open for us to write to. Default: it is at its end from the beginning. */
  readonly takesInput?: boolean;
}

/** A child process that cannot outlive this process. */
export interface GuardedProcess {
  /** Of the program itself, not of the shell that guards it. */
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The exit code; 128 + n when signal n ended it. */
  readonly exited: Promise<number>;
  isRunning(): boolean;
  /**
   * SIGTERM, then SIGKILL after `withinMs` (default 5,000; 0 is SIGKILL at once). Idempotent; resolves once it is gone.
   */
  stop(withinMs?: number): Promise<number>;
}

/**
 * Starts a program in a process group of its own (Ctrl-C in the terminal reaches us only) and ties its life to ours.
 */
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
  // Piped from the start: Node drops the unread output of a process that has ended.
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
    stop: async (withinMs = 5_000) => (running ? stop({ pid, exited, withinMs }) : exited),
  };
}

async function readPid(pipe: unknown): Promise<number> {
  if (!(pipe instanceof Readable)) throw new Error('the guard has no pipe to tell the process id');
  let text = '';
  for await (const chunk of pipe) text += String(chunk);
  return Number(text);
}

/** A child that is gone takes no more input, and that is no error. */
function inputOf(pipe: unknown): Writable {
  if (!(pipe instanceof Writable)) throw new Error('the guard has no pipe for the input');
  return pipe.on('error', () => pipe.destroy());
}

async function exitCode(shell: ChildProcess): Promise<number> {
  const [code] = await once(shell, 'exit');
  return typeof code === 'number' ? code : 128;
}

interface Stop {
  readonly pid: number;
  readonly exited: Promise<number>;
  readonly withinMs: number;
}

async function stop({ pid, exited, withinMs }: Stop): Promise<number> {
  if (withinMs > 0) signal(pid, 'SIGTERM');
  const timer = setTimeout(() => signal(pid, 'SIGKILL'), withinMs);
  try {
    return await exited;
  } finally {
    clearTimeout(timer);
  }
}

/** The program alone: the shell then reaps it and ends with its exit code. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
