import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { spawnGuarded } from '@switchyard/local';
import { until } from './until.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** A seventh of the processor time of a start is to collect garbage in a young generation that begins with 1 MB. */
const startsFaster = '--min-semi-space-size=16';

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
  /** The exit code, once its whole output is known; 128 + n for signal n. */
  readonly exited: Promise<number>;
  readonly input: Writable;
  /** Standard output and error so far, each in order. They come over two pipes: which one is first may change. */
  output(): string;
  isRunning(): boolean;
  /**
   * The first match in the output; throws with the output if there is none in time. A line of a program may be read
   * after an answer that the program gave later: a test waits for a line, and does not expect it in `output`.
   * Default: 25 s, since a program may start slowly on a busy machine; `patience` times as long in CI.
   */
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
  const child = await spawnGuarded(process.execPath, [startsFaster, file, ...args], settings);
  let output = '';
  const streams = [child.stdout, child.stderr];
  for (const stream of streams) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const isRead = Promise.allSettled(streams.map((stream) => finished(stream, { writable: false })));
  const exited = child.exited.then(async (code) => {
    // Its last lines may come after its end. A process that has left its group may keep the pipes open.
    await Promise.race([isRead, delay(2_000)]);
    return code;
  });
  return {
    pid: child.pid,
    input: child.stdin,
    exited,
    output: () => output,
    isRunning: child.isRunning,
    waitFor: (pattern, timeoutMs = 25_000) => waitFor({ file, pattern, timeoutMs, output: () => output }),
    kill: (signal) => kill(child.pid, signal),
    async stop(withinMs) {
      await child.stop(withinMs);
      return exited;
    },
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
