import { isDeepStrictEqual } from 'node:util';
import {
  type DrainRequest,
  type ProcessId,
  type RemoteProblem,
  type ReportedTurn,
  reportEveryMs,
  type WorkerFigures,
  type Workers,
} from '@switchyard/operators';
import type { Emit } from '../telemetry/events.ts';
import { Poller } from '../timing/timing.ts';

export interface ReporterOptions {
  readonly workerId: string;
  readonly process: ProcessId;
  /** Ids of the worker's agents. */
  readonly agents: readonly string[];
  readonly turns: () => readonly ReportedTurn[];
  readonly figures: () => WorkerFigures;
  /** By agent. */
  readonly remoteProblems: () => Readonly<Record<string, RemoteProblem>>;
  readonly version: string;
  /** Called when the request has changed; undefined: there is no request (any more). */
  readonly onDrainRequest: (request: DrainRequest | undefined) => Promise<void>;
  readonly emit: Emit;
}

/**
 * Reports to operators what the worker does, and applies their requests to drain it: the reply to a report has
 * the request, and a notification of a new one triggers a report at once.
 */
export class Reporter {
  readonly #workers: Workers;
  readonly #options: ReporterOptions;
  readonly #startedAt = performance.now();
  readonly #poller: Poller;
  #unsubscribe: (() => void) | undefined;
  #request: DrainRequest | undefined;

  constructor(workers: Workers, options: ReporterOptions) {
    this.#workers = workers;
    this.#options = options;
    const onError = (error: unknown): void => options.emit({ kind: 'error', where: 'report', err: error });
    this.#poller = new Poller({ everyMs: reportEveryMs, run: () => this.#report(), onError });
  }

  async start(): Promise<void> {
    this.#unsubscribe = await this.#workers.onDrainRequest(this.#options.workerId, this.#poller.request);
    this.#poller.start();
    this.#poller.request();
    await this.#poller.settled();
  }

  async stop(): Promise<void> {
    this.#unsubscribe?.();
    await this.#poller.stop();
    await this.#workers.withdraw(this.#options.workerId);
  }

  async #report(): Promise<void> {
    const { workerId, process, agents, version, turns, figures, remoteProblems, onDrainRequest } = this.#options;
    const upForMs = Math.round(performance.now() - this.#startedAt);
    const isDraining = this.#request !== undefined;
    const found = remoteProblems();
    const problems = Object.keys(found).length > 0 && { remoteProblems: found };
    const report = { process, agents, upForMs, isDraining, version, turns: turns(), figures: figures(), ...problems };
    const request = await this.#workers.report(workerId, report);
    if (isDeepStrictEqual(request, this.#request)) return;
    await onDrainRequest(request);
    this.#request = request;
    // The operator's command waits until a report says that the request is applied.
    this.#poller.request();
  }
}
