import type { FileStore } from '@switchyard/files';
import { deploymentOf, type Store } from '@switchyard/store';
import type { Emit } from '../telemetry/events.ts';
import { Poller } from '../timing/timing.ts';

/** A message with a file is accepted within this time after the gateway has marked the file for its task. */
const MARK_MS = 600_000;

interface FileSweepSettings {
  readonly unusedMs: number;
  readonly sweepEveryMs: number;
}

/** Removes files whose tasks are gone, and uploads that nobody has completed, on a timer. */
export class FileSweep {
  readonly #poller: Poller;
  readonly #stopping = new AbortController();

  constructor(
    {
      files,
      store,
      emit,
    }: {
      readonly files: FileStore;
      readonly store: Pick<Store, 'tasks' | 'deploymentId' | 'settings'>;
      readonly emit: Emit;
    },
    { unusedMs, sweepEveryMs }: FileSweepSettings,
  ) {
    const { deployment: number } = store.settings;
    const options = {
      number,
      // What other deployments have they know themselves.
      existing: async (taskIds: readonly string[]) => {
        const [own, others] = [new Set<string>(), new Set<string>()];
        for (const id of taskIds) (deploymentOf(id) === number ? own : others).add(id);
        return others.union(await store.tasks.existing([...own]));
      },
      unusedMs,
      markMs: MARK_MS,
      signal: this.#stopping.signal,
    };
    const run = async (): Promise<void> => {
      const deployment = await store.deploymentId();
      const { removed: count, bytes, kept } = await files.sweep({ ...options, deployment });
      // Of a whole look only.
      if (!this.#stopping.signal.aborted) emit({ kind: 'files-swept', ...kept });
      if (count) emit({ kind: 'files-removed', count, bytes });
    };
    const onError = (err: unknown): void => emit({ kind: 'error', where: 'files', err });
    this.#poller = new Poller({ everyMs: sweepEveryMs, run, onError });
  }

  start(): void {
    this.#poller.start();
    this.#poller.request();
  }

  stop(): Promise<void> {
    this.#stopping.abort();
    return this.#poller.stop();
  }
}
