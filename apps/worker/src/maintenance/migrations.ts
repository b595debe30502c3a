import type { Migrator } from '@switchyard/store';
import type { Emit } from '../telemetry/events.ts';
import { Poller } from '../timing/timing.ts';

/** Others may have to go first. */
const EVERY_MS = 5_000;

/** Migrates what older releases left in Redis. Every worker would, and one does. */
export class Migrations {
  readonly #poller: Poller;
  readonly #stopping = new AbortController();

  constructor(migrator: Migrator, emit: Emit) {
    const { signal } = this.#stopping;
    const onError = (error: unknown): void => {
      if (!signal.aborted) emit({ kind: 'error', where: 'migration', err: error });
    };
    this.#poller = new Poller({ everyMs: EVERY_MS, run: () => migrator.run(emit, signal), onError });
  }

  start(): void {
    this.#poller.start();
    this.#poller.request();
  }

  /** One that runs stops after its step; another worker goes on with it. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#poller.stop();
  }
}
