import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Predecessor } from '../blocked/predecessor.ts';
import { readReport } from './worker-report.ts';

export interface WorkerProcessOptions {
  /** The program, and its arguments. */
  readonly program: string;
  readonly args: readonly string[];
  readonly onModule: (path: string) => void;
  /** How long it may take to end after SIGTERM. */
  readonly stopWithinMs: number;
}

/** A worker that is not blocked reports at once that it stops. */
const REPORTS_STOP_WITHIN_MS = 2_000;

/** A worker as a child process. It ends with this process, because its channel closes. */
export class WorkerProcess {
  readonly #child: ChildProcess;
  readonly #stopWithinMs: number;
  #isStopping = false;
  /** Resolves with false if the worker ended before it could run turns. */
  readonly started: Promise<boolean>;
  /** Resolves with its exit code, or the name of the signal that ended it. */
  readonly ended: Promise<string>;
  /** Set once a signal has ended it. */
  predecessor: Predecessor | undefined;

  constructor({ program, args, onModule, stopWithinMs }: WorkerProcessOptions) {
    this.#stopWithinMs = stopWithinMs;
    this.#child = fork(program, [...args], { stdio: 'inherit' });
    this.ended = once(this.#child, 'exit').then(() => {
      const { pid, exitCode, signalCode } = this.#child;
      if (signalCode && pid !== undefined) this.predecessor = { pid, signal: constants.signals[signalCode] };
      return String(exitCode ?? signalCode);
    });
    const started = new Promise<boolean>((resolve) => {
      this.#child.on('message', (message) => {
        const report = readReport(message);
        if (report?.kind === 'module') onModule(report.path);
        if (report?.kind === 'stopping') this.#isStopping = true;
        if (report?.kind === 'started') resolve(true);
      });
    });
    this.started = Promise.race([started, this.ended.then(() => false)]);
  }

  /**
   * Sends SIGTERM: running turns end, or are handed back. A worker that is blocked by an agent is killed. Idempotent;
   * resolves when the worker has ended.
   */
  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    const kill = (): void => void this.#child.kill('SIGKILL');
    const timers = [
      setTimeout(() => this.#isStopping || kill(), REPORTS_STOP_WITHIN_MS),
      setTimeout(kill, this.#stopWithinMs),
    ];
    await this.ended;
    timers.forEach(clearTimeout);
  }
}
