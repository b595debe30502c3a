import { defineScript, integer, type RedisConnection } from '@switchyard/redis';

const holdScript = defineScript({
  file: 'hold-migration.lua',
  from: import.meta.url,
  keys: ['lock'],
  args: ['program', 'holdMs'],
  reply: integer,
});

/** A program that does not renew its lock for this long loses it: another one continues the migration. */
const HOLD_MS = 15_000;
const RENEW_EVERY_MS = 3_000;

/** The lock under which one program at a time migrates. */
export class MigrationLock {
  readonly #redis: RedisConnection;
  readonly #key: string;
  readonly #program: string;
  #heldAt: number | undefined;

  constructor(redis: RedisConnection, key: string, program: string) {
    this.#redis = redis;
    this.#key = key;
    this.#program = program;
  }

  /** Takes or renews the lock. @returns false: another program has it */
  async hold(): Promise<boolean> {
    const isHeld = await this.#holdFor(HOLD_MS);
    this.#heldAt = isHeld ? performance.now() : undefined;
    return isHeld;
  }

  /** Renews the lock if it is time. @throws {Error} this program did not renew it in time, and another one has it */
  async keep(): Promise<void> {
    const heldForMs = performance.now() - (this.#heldAt ?? Number.NEGATIVE_INFINITY);
    if (heldForMs > RENEW_EVERY_MS && !(await this.hold())) throw new Error('Another program migrates meanwhile.');
  }

  /** Releases the lock, unless another program has taken it meanwhile. */
  async release(): Promise<void> {
    if (this.#heldAt !== undefined) await this.#holdFor(0);
    this.#heldAt = undefined;
  }

  async #holdFor(holdMs: number): Promise<boolean> {
    const args = { program: this.#program, holdMs };
    return (await holdScript.run(this.#redis, { keys: { lock: this.#key }, args })) === 1;
  }
}
