import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Predecessor } from '../blocked/predecessor.ts';
import { type Retirement, readReport } from './worker-report.ts';

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
  /** Resolves with the ids of its agents; undefined if the worker ended before it could run turns. */
  readonly started: Promise<readonly string[] | undefined>;
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
    const started = new Promise<readonly string[]>((resolve) => {
      this.#child.on('message', (message) => {
        const report = readReport(message);
        if (report?.kind === 'module') onModule(report.path);
        if (report?.kind === 'stopping') this.#isStopping = true;
        if (report?.kind === 'started') resolve(report.agents);
      });
    });
    this.started = Promise.race([started, this.ended.then(() => undefined)]);
  }

  /**
   * Sends SIGTERM: running turns end, or are handed back. A worker that is blocked by an agent is killed. Idempotent;
   * resolves when the worker has ended.
   * @param gone agents that it must withdraw: its successor does not have them
   */
  async stop(gone: readonly string[] = []): Promise<void> {
    // After SIGTERM it would not wait for a message.
    if (gone.length > 0 && this.#child.connected)
      this.#child.send({ kind: 'retire', gone: [...gone] } satisfies Retirement, this.#onSent);
    else this.#child.kill('SIGTERM');
    const kill = (): void => void this.#child.kill('SIGKILL');
    const timers = [
      setTimeout(() => this.#isStopping || kill(), REPORTS_STOP_WITHIN_MS),
      setTimeout(kill, this.#stopWithinMs),
    ];
    await this.ended;
    timers.forEach(clearTimeout);
  }

  readonly #onSent = (error: Error | null): void => void (error && this.#child.kill('SIGTERM'));
}
