import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { spawnGuarded } from '@switchyard/local';
import { until } from './until.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

export interface ProgramOptions {
  /** Relative to the root of the repository: `apps/gateway/src/main.ts`. */
  readonly file: string;
  readonly args?: readonly string[];
  /** The whole environment besides PATH, HOME and Node's cache, so that no setting of the developer is used. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether standard input stays open. */
  readonly takesInput?: boolean;
  /** The root of another checkout, whose program is started. */
  readonly cwd?: string;
}

export interface Program {
  readonly pid: number;
  /** The exit code; 128 + n for signal n. */
  readonly exited: Promise<number>;
  readonly input: Writable;
  /** Standard output and error so far, in order. */
  output(): string;
  isRunning(): boolean;
  /** The first match in the output; throws with the output if there is none in time. */
  waitFor(pattern: RegExp, timeoutMs?: number): Promise<RegExpMatchArray>;
  /** Signals the program itself; does nothing if it has ended. */
  kill(signal: NodeJS.Signals): void;
  /** SIGTERM, then SIGKILL after `withinMs`. @returns the exit code */
  stop(withinMs?: number): Promise<number>;
}

/** Starts one of our programs as a process. It ends with the test process at the latest. */
export async function startProgram({ file, args = [], env = {}, ...options }: ProgramOptions): Promise<Program> {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE: cache } = process.env;
  const own = { PATH, HOME, ...(cache && { NODE_COMPILE_CACHE: cache }) };
  const settings = { cwd: repository, env: { ...own, ...env }, ...options };
  const child = await spawnGuarded(process.execPath, [file, ...args], settings);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return {
    pid: child.pid,
    input: child.stdin,
    exited: child.exited,
    output: () => output,
    isRunning: child.isRunning,
    waitFor: (pattern, timeoutMs = 10_000) => waitFor({ file, pattern, timeoutMs, output: () => output }),
    kill: (signal) => kill(child.pid, signal),
    stop: child.stop,
  };
}

interface Awaited {
  readonly file: string;
  readonly pattern: RegExp;
  readonly timeoutMs: number;
  output(): string;
}

async function waitFor({ file, pattern, timeoutMs, output }: Awaited): Promise<RegExpMatchArray> {
  try {
    return await until(() => output().match(pattern), { what: `${file} says ${pattern}`, timeoutMs });
  } catch (error) {
    throw new Error(`${file} did not print ${pattern}. It printed:\n${output()}`, { cause: error });
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
