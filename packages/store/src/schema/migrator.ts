import { MigrationLock } from './migration-lock.ts';
import type { Migration, MigrationPort } from './migrations/migration.ts';
import { migrations } from './migrations/migrations.ts';
import { type Schema, schemaKeys } from './schema.ts';
import { schema } from './version.ts';

const TELL_EVERY_MS = 5_000;

/** What happens to migrations, for the log. */
export type MigrationEvent =
  | { readonly kind: 'migration-waits'; readonly reason: string }
  | {
      readonly kind: 'migration-began' | 'migration-runs' | 'migration-done';
      readonly what: string;
      /** Of the things that it has moved. */
      readonly count: number;
    };

export interface MigratorPort extends MigrationPort {
  readonly schema: Schema;
  readonly prefix: string;
  readonly processId: string;
}

type Tell = (event: MigrationEvent) => void;

/** Migrates a deployment, once no program is left that knows an older version. */
export class Migrator {
  readonly lock: MigrationLock;
  readonly #port: MigratorPort;
  readonly #migrations: readonly Migration[];
  readonly #key: string;
  #isWaiting = false;

  constructor(port: MigratorPort, list = migrations) {
    const keys = schemaKeys(port.prefix);
    this.#port = port;
    this.#migrations = list;
    this.#key = keys.schema;
    this.lock = new MigrationLock(port.redis, keys.lock, port.processId);
  }

  /** Does what is due, unless it is to wait: call it again and again. @throws the reason of `signal` */
  async run(tell: Tell, signal: AbortSignal): Promise<void> {
    if (this.#isDone(this.#port.schema.latest)) return;
    const { migrated, programs } = await this.#port.schema.look();
    // They could undo it.
    const older = programs.filter(({ version }) => version < schema.version).map(({ id }) => id);
    if (older.length > 0) return this.#wait(older, tell);
    if (!(await this.lock.hold())) return;
    try {
      for (const migration of this.#migrations)
        if (migration.version > migrated) await this.#runOne(migration, tell, signal);
      await this.#port.redis.hset(this.#key, 'migrated', schema.version);
      await this.#port.schema.look();
    } finally {
      await this.lock.release();
    }
  }

  #isDone(reading: Schema['latest']): boolean {
    return reading === undefined || reading.migrated >= schema.version;
  }

  #wait(older: readonly string[], tell: Tell): void {
    if (!this.#isWaiting) tell({ kind: 'migration-waits', reason: `older programs still run: ${older.join(', ')}` });
    this.#isWaiting = true;
  }

  async #runOne({ what, run }: Migration, tell: Tell, signal: AbortSignal): Promise<void> {
    let count = 0;
    let toldAt = performance.now();
    tell({ kind: 'migration-began', what, count });
    await run(this.#port, async (done) => {
      count = done;
      signal.throwIfAborted();
      await this.lock.keep();
      if (performance.now() - toldAt < TELL_EVERY_MS) return;
      toldAt = performance.now();
      tell({ kind: 'migration-runs', what, count });
    });
    tell({ kind: 'migration-done', what, count });
  }
}
