import type { Orphans } from '@switchyard/store';
import type { Emit } from '../telemetry/events.ts';
import { Poller } from '../timing/timing.ts';

/**
 * Cancels tasks whose caller's task has ended. It runs after a notification, and on a timer for tasks whose
 * notification was lost, or whose worker died during the cancel.
 */
export class OrphanCleanup {
  readonly #orphans: Orphans;
  readonly #emit: Emit;
  readonly #poller: Poller;

  constructor(orphans: Orphans, everyMs: number, emit: Emit) {
    this.#orphans = orphans;
    this.#emit = emit;
    const onError = (error: unknown): void => emit({ kind: 'error', where: 'orphan-cleanup', err: error });
    this.#poller = new Poller({ everyMs, run: () => this.#cleanUp(), onError });
  }

  async start(): Promise<void> {
    await this.#orphans.listen(this.#poller.request);
    this.#poller.start();
  }

  stop(): Promise<void> {
    return this.#poller.stop();
  }

  async #cleanUp(): Promise<void> {
    const canceled = await this.#orphans.end();
    if (canceled) this.#emit({ kind: 'orphans-canceled', canceled });
  }
}
