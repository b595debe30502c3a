import type { Migrator } from '@switchyard/schema';
import type { Emit } from '../telemetry/events.ts';
import { Poller } from '../timing/timing.ts';

/** A migration may have to wait until older programs have ended. */
const EVERY_MS = 5_000;

/** Migrates data of older releases in Redis. Every worker tries to; a lock lets one at a time do it. */
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

  /** A running migration stops after its step; another worker continues it. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#poller.stop();
  }
}
