import { toError } from '../redis/errors.ts';
import type { ShardKeys } from '../redis/keys.ts';
import type { AgentQueue, TakenJob } from './agent-queue.ts';
import { Lease } from './lease.ts';
import type { Moment } from './moment.ts';
import { type LeaseDependencies, RENEWALS_PER_LEASE, ShardLease } from './shard-lease.ts';

/** The leases of this process, one per shard: one timer renews them while jobs run. */
export class Leases {
  readonly #dependencies: LeaseDependencies & { readonly onError: (error: Error) => void };
  readonly #leases = new Map<string, Lease>();
  readonly #shards = new Map<ShardKeys, ShardLease>();
  #timer: NodeJS.Timeout | undefined;

  constructor(dependencies: LeaseDependencies & { readonly onError: (error: Error) => void }) {
    this.#dependencies = dependencies;
  }

  /** @param takenAt when it was requested */
  hold(queue: AgentQueue, job: TakenJob, takenAt: Moment): Lease {
    const { token } = job;
    const lease = new Lease(queue, job, { takenAt, onRelease: () => this.#release(lease) });
    this.#leases.set(token, lease);
    this.#shard(queue.keys).add(lease);
    this.#timer ??= setInterval(() => this.#renew(), this.#dependencies.leaseMs / RENEWALS_PER_LEASE);
    return lease;
  }

  of(token: string): Lease | undefined {
    return this.#leases.get(token);
  }

  /**
   * Call it before an external effect: a process that was stopped, or got a late reply, may have lost its job. In that
   * case it calls the turn's hooks.
   */
  async confirm(token: string): Promise<void> {
    const lease = this.#leases.get(token);
    if (lease) await this.#shard(lease.queue.keys).confirm(lease);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#leases.clear();
    this.#shards.clear();
  }

  #shard(keys: ShardKeys): ShardLease {
    const known = this.#shards.get(keys) ?? new ShardLease(this.#dependencies, keys);
    this.#shards.set(keys, known);
    return known;
  }

  #release({ job: { token }, queue }: Lease): void {
    this.#leases.delete(token);
    this.#shards.get(queue.keys)?.delete(token);
    if (this.#leases.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #renew(): void {
    for (const lease of this.#shards.values())
      lease.renew().catch((error: unknown) => this.#dependencies.onError(toError(error)));
  }
}
