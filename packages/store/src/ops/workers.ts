import type { Channels } from '../redis/channels.ts';
import type { RedisConnection } from '../redis/connection.ts';
import { defineScript } from '../redis/define-script.ts';
import { integer } from '../redis/reply.ts';
import { Script } from '../redis/script.ts';
import type { DrainOrder, WorkerReading, WorkerReport, WorkerState } from './worker-report.ts';

const reportWorkerScript = new Script('report-worker.lua', import.meta.url);
const drainWorkerScript = defineScript({
  file: 'drain-worker.lua',
  from: import.meta.url,
  keys: ['workers', 'reports', 'alive'],
  args: ['worker', 'how', 'channel', 'changed'],
  reply: integer,
});
const listWorkersScript = new Script('list-workers.lua', import.meta.url);

export const reportEveryMs = 1_000;
/** Without a report for so long, a worker counts as silent. */
const SILENT_AFTER_MS = 5_000;
const FORGET_AFTER_MS = 10 * 60_000;

type Reported = [id: string, seenMs: number, report: string, drain: string];

/** Workers as they report themselves, and what operators want of them. */
export class Workers {
  readonly #redis: RedisConnection;
  readonly #channels: Channels;
  readonly #keys: [workers: string, reports: string];
  readonly #channel: string;
  readonly #root: string;

  constructor(redis: RedisConnection, channels: Channels, prefix: string) {
    this.#redis = redis;
    this.#channels = channels;
    this.#root = `${prefix}{agents}:`;
    this.#keys = [`${this.#root}workers`, `${this.#root}workers:reports`];
    this.#channel = `${this.#root}drain`;
  }

  /** To be repeated every `reportEveryMs`. @returns how the worker is to be drained; undefined: it is not */
  async report(id: string, report: WorkerReport): Promise<DrainOrder | undefined> {
    const drain = await reportWorkerScript.run(this.#redis, this.#keys, [id, JSON.stringify(report), FORGET_AFTER_MS]);
    return orderIn(String(drain));
  }

  /** The worker stops. */
  async withdraw(id: string): Promise<void> {
    const [workers, reports] = this.#keys;
    await Promise.all([this.#redis.zrem(workers, id), this.#redis.hdel(reports, id, `${id} drain`)]);
  }

  /** By id. */
  async list(): Promise<WorkerReading[]> {
    const reply = await listWorkersScript.run(this.#redis, this.#keys, []);
    const [nowMs, ...reported] = reply as [number, ...Reported[]];
    return reported.map((each) => workerReading(nowMs, each)).sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** The worker takes no more work, until `undrain`. @returns false: no such worker */
  drain(id: string, order: DrainOrder = {}): Promise<boolean> {
    return this.#tell(id, JSON.stringify(order));
  }

  /** @returns false: no such worker */
  undrain(id: string): Promise<boolean> {
    return this.#tell(id, '');
  }

  /** Hears that there is a new order for a worker. It may be missed: whoever reports hears of it, too. */
  async onOrder(id: string, report: () => void): Promise<() => void> {
    const listener = (worker: string): void => {
      if (worker === id) report();
    };
    await this.#channels.subscribe(this.#channel, listener);
    return () => this.#channels.unsubscribe(this.#channel, listener);
  }

  async #tell(worker: string, how: string): Promise<boolean> {
    const [workers, reports] = this.#keys;
    const keys = { workers, reports, alive: `${this.#root}alive` };
    const args = { worker, how, channel: this.#channel, changed: `${this.#root}changed` };
    return (await drainWorkerScript.run(this.#redis, { keys, args })) === 1;
  }
}

function workerReading(nowMs: number, [id, seenMs, json, drain]: Reported): WorkerReading {
  const { agents, upForMs, isDraining, turns }: WorkerReport = JSON.parse(json);
  const order = orderIn(drain);
  return {
    id,
    state: stateOf({ silentMs: nowMs - seenMs, order, isIdle: isDraining && turns.length === 0 }),
    agents,
    since: iso(seenMs - upForMs),
    lastSignOfLife: iso(seenMs),
    ...(order && { drain: order }),
    turns: turns.map(({ taskId, epoch, runsForMs }) => ({ taskId, epoch, since: iso(seenMs - runsForMs) })),
  };
}

interface Condition {
  readonly silentMs: number;
  readonly order: DrainOrder | undefined;
  /** By its own word. */
  readonly isIdle: boolean;
}

function stateOf({ silentMs, order, isIdle }: Condition): WorkerState {
  if (silentMs > SILENT_AFTER_MS) return 'silent';
  if (!order) return 'working';
  return isIdle ? 'drained' : 'draining';
}

const orderIn = (text: string): DrainOrder | undefined => (text ? JSON.parse(text) : undefined);
const iso = (ms: number): string => new Date(ms).toISOString();
