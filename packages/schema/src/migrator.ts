import type { RedisConnection } from '@switchyard/redis';
import { MigrationLock } from './migration-lock.ts';
import { type Schema, schemaKeys } from './schema.ts';
import { schema } from './version.ts';

const REPORT_EVERY_MS = 5_000;

/**
 * Brings the data of older releases to a version of the schema. It can be interrupted and started again at any point,
 * and run twice at once, while programs of the new release work; programs that know an older version have gone.
 */
export interface Migration {
  readonly version: number;
  /** For the log: what it does. */
  readonly what: string;
  /** @param onProgress await it after each step, with the number of tasks that are done; rejects if the run must stop */
  run(onProgress: (done: number) => Promise<void>): Promise<void>;
}

/** An event of a migration, for the log. */
export type MigrationEvent =
  | { readonly kind: 'migration-waits'; readonly reason: string }
  | {
      readonly kind: 'migration-began' | 'migration-runs' | 'migration-done';
      readonly what: string;
      /** Number of tasks that are done. */
      readonly count: number;
    };

export interface MigratorDependencies {
  readonly redis: RedisConnection;
  readonly schema: Schema;
  readonly prefix: string;
  readonly processId: string;
}

type Emit = (event: MigrationEvent) => void;

/** Migrates a deployment, once no program runs that knows only an older version. */
export class Migrator {
  readonly lock: MigrationLock;
  readonly #dependencies: MigratorDependencies;
  readonly #migrations: readonly Migration[];
  readonly #version: number;
  readonly #key: string;
  #isWaiting = false;

  constructor(dependencies: MigratorDependencies, list: readonly Migration[], version = schema.version) {
    const keys = schemaKeys(dependencies.prefix);
    this.#dependencies = dependencies;
    this.#migrations = list;
    this.#version = version;
    this.#key = keys.schema;
    this.lock = new MigrationLock(dependencies.redis, keys.lock, dependencies.processId);
  }

  /** Runs the migrations that are due, unless they must wait: call it repeatedly. @throws the reason of `signal` */
  async run(emit: Emit, signal: AbortSignal): Promise<void> {
    if (this.#isDone(this.#dependencies.schema.latest)) return;
    const { migrated, programs } = await this.#dependencies.schema.register();
    // Older programs could undo a migration.
    const older = programs.filter(({ version }) => version < this.#version).map(({ id }) => id);
    if (older.length > 0) return this.#wait(older, emit);
    if (!(await this.lock.hold())) return;
    try {
      for (const migration of this.#migrations)
        if (migration.version > migrated) await this.#runOne(migration, emit, signal);
      await this.#dependencies.redis.hset(this.#key, 'migrated', this.#version);
      await this.#dependencies.schema.register();
    } finally {
      await this.lock.release();
    }
  }

  #isDone(reading: Schema['latest']): boolean {
    return reading === undefined || reading.migrated >= this.#version;
  }

  #wait(older: readonly string[], emit: Emit): void {
    if (!this.#isWaiting) emit({ kind: 'migration-waits', reason: `older programs still run: ${older.join(', ')}` });
    this.#isWaiting = true;
  }

  async #runOne({ what, run }: Migration, emit: Emit, signal: AbortSignal): Promise<void> {
    let count = 0;
    let reportedAt = performance.now();
    emit({ kind: 'migration-began', what, count });
    await run(async (done) => {
      count = done;
      signal.throwIfAborted();
      await this.lock.keep();
      if (performance.now() - reportedAt < REPORT_EVERY_MS) return;
      reportedAt = performance.now();
      emit({ kind: 'migration-runs', what, count });
    });
    emit({ kind: 'migration-done', what, count });
  }
}
