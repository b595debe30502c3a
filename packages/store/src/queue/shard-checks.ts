import { defineScript, integer, list, type RedisConnection, text, toError, tuple, word } from '@switchyard/redis';
import type { ShardKeys } from '../deployment/keys.ts';
import type { StoreSettings } from '../deployment/settings.ts';
import type { Shards } from '../deployment/shards.ts';
import { markerOf, queueRoot } from './queue-names.ts';
import type { WakeUp, WakeUps } from './wake-ups.ts';

const checkShardScript = defineScript({
  file: 'check-shard.lua',
  from: import.meta.url,
  keys: [
    'checked',
    'queues',
    'outbox',
    'orphans',
    'scheduledTasks',
    'interrupted',
    'suspended',
    'beginBy',
    'push',
    'running',
  ],
  args: ['everyMs', 'leaseMs', 'maxInterruptedMs', 'names*'],
  reply: tuple(integer, integer, list(word('outbox', 'orphans', 'interrupted', 'deliveries')), list(text)),
});

/**
 * Work of a shard besides its jobs: lost jobs, calls of ended tasks, overdue tasks, webhooks; `timed`: scheduled tasks, suspended
 * turns, and messages whose time to live ends.
 */
export type DueWork = 'outbox' | 'orphans' | 'interrupted' | 'deliveries' | 'timed';

const EVERY_MS = 1_000;
/** Checks per lease: if two are further apart than a lease, Redis was away. */
const CHECKS_PER_LEASE = 3.5;
/** How often a process says which queues it serves. */
const NAMES_EVERY_MS = 300_000;

interface ShardChecksDependencies {
  readonly redis: RedisConnection;
  readonly shards: Shards;
  readonly wakeUps: WakeUps;
  readonly settings: Pick<StoreSettings, 'leaseMs' | 'interruptedRetentionMs'>;
  readonly onError: (error: Error) => void;
}

/**
 * Checks each shard once a second, for all queues together: puts back the jobs of dead processes, and finds jobs whose
 * wake-up was lost, and work that is due. One process at a time checks a shard, and does what it finds.
 */
export class ShardChecks {
  readonly #dependencies: ShardChecksDependencies;
  readonly #everyMs: number;
  /** Names of the queues that this process serves. */
  readonly #queues = new Set<string>();
  #namesSentAt = Number.NEGATIVE_INFINITY;
  readonly #listeners = new Map<DueWork, (shard: ShardKeys) => void>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #interval: NodeJS.Timeout | undefined;

  constructor(dependencies: ShardChecksDependencies) {
    this.#dependencies = dependencies;
    this.#everyMs = Math.min(EVERY_MS, dependencies.settings.leaseMs / CHECKS_PER_LEASE);
  }

  /** Checks the queue from now on. */
  join(queue: string): void {
    this.#queues.add(queue);
    this.#namesSentAt = Number.NEGATIVE_INFINITY;
    if (this.#interval) return;
    this.#interval = setInterval(() => this.#checkAll(), this.#everyMs);
    // Queues that join together are named together.
    this.#after(0, () => this.#checkAll());
  }

  leave(queue: string): void {
    this.#queues.delete(queue);
    if (this.#queues.size > 0) return;
    clearInterval(this.#interval);
    this.#interval = undefined;
    for (const timer of this.#timers) clearTimeout(timer);
  }

  /**
   * Calls `onDue` when a check of this process finds such work, and for `deliveries` and `orphans` also when there is
   * new work and this process was chosen to do it.
   * @returns ends that
   */
  listen(kind: DueWork, onDue: (shard: ShardKeys) => void): () => void {
    this.#listeners.set(kind, onDue);
    const wakeUps = this.#dependencies.shards.all.flatMap((keys) => this.#follow(kind, keys, onDue) ?? []);
    return () => {
      this.#listeners.delete(kind);
      for (const wakeUp of wakeUps) wakeUp.close();
    };
  }

  #follow(kind: DueWork, keys: ShardKeys, onDue: (shard: ShardKeys) => void): WakeUp | undefined {
    const key = { deliveries: keys.push, orphans: keys.orphans }[kind as string];
    if (key === undefined) return undefined;
    const wakeNext = async (): Promise<void> => onDue(keys);
    const wakeUp = this.#dependencies.wakeUps.open(keys, { marker: markerOf(`${key}:`), wakeNext });
    void this.#notifyOn(wakeUp, wakeNext);
    return wakeUp;
  }

  async #notifyOn(wakeUp: WakeUp, notify: () => Promise<void>): Promise<void> {
    while (wakeUp.isOpen) if (await wakeUp.wait()) await notify();
  }

  #checkAll(): void {
    const isToName = performance.now() - this.#namesSentAt > NAMES_EVERY_MS;
    if (isToName) this.#namesSentAt = performance.now();
    const names = isToName ? [...this.#queues] : [];
    for (const keys of this.#dependencies.shards.all)
      this.#check(keys, names, isToName ? 0 : undefined).catch((error: unknown) =>
        this.#dependencies.onError(toError(error)),
      );
  }

  /** @param everyMs less than this ms after another check it does nothing; default: a little less than the timer's */
  async #check(keys: ShardKeys, names: readonly string[], everyMs = 0.9 * this.#everyMs): Promise<void> {
    const { redis, settings, wakeUps, onError } = this.#dependencies;
    const { leaseMs, interruptedRetentionMs: maxInterruptedMs } = settings;
    // Most processes end here, and this takes Redis a tenth of the script's time.
    if (everyMs > 0 && sinceCheck(await redis.pttl(keys.checked), leaseMs) < everyMs) return;
    const args = { everyMs, leaseMs, maxInterruptedMs, names };
    const [leaseInMs, timedInMs, due, waiting] = await checkShard(redis, keys, args);
    // The process of that lease has not renewed it for long.
    if (leaseInMs >= 0 && leaseInMs < this.#everyMs)
      this.#after(leaseInMs + 1, () => void this.#check(keys, [], 0).catch((error) => onError(toError(error))));
    for (const name of waiting) wakeUps.wake(keys, markerOf(queueRoot(name, keys)));
    for (const kind of due) this.#listeners.get(kind)?.(keys);
    if (timedInMs < 0 || timedInMs >= this.#everyMs) return;
    this.#after(timedInMs, () => this.#listeners.get('timed')?.(keys));
  }

  #after(ms: number, run: () => void): void {
    if (!this.#interval) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, ms);
    this.#timers.add(timer);
  }
}

/** @returns ms since the last check, by the time for which check-shard.lua keeps its key; Infinity: unknown */
function sinceCheck(leftMs: number, leaseMs: number): number {
  const sinceMs = 2 * leaseMs - leftMs;
  return leftMs < 0 || sinceMs < 0 ? Number.POSITIVE_INFINITY : sinceMs;
}

/** A check of one shard; the reply is that of the script. */
export function checkShard(
  redis: RedisConnection,
  keys: ShardKeys,
  args: Parameters<typeof checkShardScript.run>[1]['args'],
): ReturnType<typeof checkShardScript.run> {
  const { checked, queues, outbox, orphans, scheduledTasks, interrupted, suspended, beginBy, push, running } = keys;
  return checkShardScript.run(redis, {
    keys: { checked, queues, outbox, orphans, scheduledTasks, interrupted, suspended, beginBy, push, running },
    args,
  });
}
