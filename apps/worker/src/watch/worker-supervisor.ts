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
  /** Ids of the agents of the worker that has started last. */
  #agents: readonly string[] = [];
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
    candidate.started.then((agents) => this.#onStart(candidate, agents));
    candidate.ended.then((code) => this.#onEnd(candidate, code));
  }

  #onStart(candidate: WorkerProcess, agents: readonly string[] | undefined): void {
    if (candidate !== this.#candidate) return;
    this.#candidate = undefined;
    if (!agents) {
      this.#options.emit({ kind: 'change-refused', isServed: this.#current !== undefined });
      return;
    }
    const gone = this.#agents.filter((id) => !agents.includes(id));
    const added = agents.filter((id) => !this.#agents.includes(id));
    if (this.#hasChanged) this.#options.emit({ kind: 'change-loaded', ...renaming(gone, added) });
    this.#hasChanged = false;
    this.#agents = agents;
    this.#retire(this.#current, gone);
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

  #retire(worker: WorkerProcess | undefined, gone: readonly string[] = []): void {
    if (!worker) return;
    const retired = worker.stop(gone).finally(() => this.#retiring.delete(retired));
    this.#retiring.add(retired);
  }
}

/** What the line on a loaded change says of agents that are gone or new. */
function renaming(gone: readonly string[], added: readonly string[]): { text?: string } {
  const changes = [...named(gone, 'gone'), ...named(added, 'new')].join('; ');
  return changes ? { text: `the changed agents are running: ${changes}` } : {};
}

function named(ids: readonly string[], what: string): string[] {
  if (ids.length === 0) return [];
  return [ids.length === 1 ? `agent ${ids[0]} is ${what}` : `agents ${ids.join(', ')} are ${what}`];
}
