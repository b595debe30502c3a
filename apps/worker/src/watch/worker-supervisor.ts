import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Predecessor } from '../blocked/predecessor.ts';
import { isAgentUrl } from '../external-agents/sources.ts';
import type { Emit } from '../telemetry/events.ts';
import { WatchedFiles } from './watched-files.ts';
import { WorkerProcess } from './worker-process.ts';

export interface WorkerSupervisorOptions {
  readonly program: string;
  readonly agentModules: readonly string[];
  readonly emit: Emit;
  /** How long a worker may take to end after SIGTERM. */
  readonly stopWithinMs: number;
}

const pauseAfterDeathMs = 1_000;

/**
 * Keeps a worker running while its agents are being written. When one of their modules changes, a new worker starts,
 * and takes over once it runs: the old one finishes its turns or hands them back. If the changed modules cannot be
 * loaded, the old worker goes on.
 */
export class WorkerSupervisor {
  readonly #options: WorkerSupervisorOptions;
  readonly #files: WatchedFiles;
  readonly #retiring = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  #hasChanged = false;
  #current: WorkerProcess | undefined;
  #candidate: WorkerProcess | undefined;

  constructor(options: WorkerSupervisorOptions) {
    this.#options = options;
    this.#files = new WatchedFiles((path) => this.#onChange(path));
  }

  start(): void {
    const files = this.#options.agentModules.filter((source) => !isAgentUrl(source));
    for (const file of files) this.#files.add(resolve(file));
    this.#replace();
  }

  /** Ends every worker as SIGTERM does. Idempotent. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#files.close();
    await Promise.all([this.#current?.stop(), this.#candidate?.stop(), ...this.#retiring]);
  }

  #onChange(path: string): void {
    this.#hasChanged = true;
    this.#options.emit({ kind: 'module-changed', path });
    this.#replace();
  }

  /** @param after a worker that a signal has ended */
  #replace(after?: Predecessor): void {
    // A worker that is still starting may have loaded files that have changed since.
    this.#retire(this.#candidate);
    const { program, agentModules, stopWithinMs } = this.#options;
    const onModule = (path: string): void => this.#files.add(path);
    const before = after ? ['--predecessor', `${after.pid}:${after.signal}`] : [];
    const args = ['--watched', ...before, ...agentModules.flatMap((module) => ['--agents', module])];
    const candidate = new WorkerProcess({ program, args, onModule, stopWithinMs });
    this.#candidate = candidate;
    candidate.started.then((isStarted) => this.#onStart(candidate, isStarted));
    candidate.ended.then((code) => this.#onEnd(candidate, code));
  }

  #onStart(candidate: WorkerProcess, isStarted: boolean): void {
    if (candidate !== this.#candidate) return;
    this.#candidate = undefined;
    if (!isStarted) {
      this.#options.emit({ kind: 'change-refused', isServed: this.#current !== undefined });
      return;
    }
    if (this.#hasChanged) this.#options.emit({ kind: 'change-loaded' });
    this.#hasChanged = false;
    this.#retire(this.#current);
    this.#current = candidate;
  }

  /** A worker that exits by itself after its start is started again. */
  async #onEnd(worker: WorkerProcess, code: string): Promise<void> {
    if (worker !== this.#current || this.#stopping.signal.aborted) return;
    this.#current = undefined;
    this.#options.emit({ kind: 'worker-died', code });
    await delay(pauseAfterDeathMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
    if (!this.#stopping.signal.aborted && !this.#current && !this.#candidate) this.#replace(worker.predecessor);
  }

  #retire(worker: WorkerProcess | undefined): void {
    if (!worker) return;
    const retired = worker.stop().finally(() => this.#retiring.delete(retired));
    this.#retiring.add(retired);
  }
}
