import { type Channels, defineScript, integer, type RedisConnection, text, tuple, tupleAnd } from '@switchyard/redis';
import type { StoreInside } from '@switchyard/store/inside';
import type { BlockedReport, DrainRequest, WorkerReading, WorkerReport, WorkerState } from './worker-report.ts';

const from = import.meta.url;
const reportWorkerScript = defineScript({
  file: 'report-worker.lua',
  from,
  keys: ['workers', 'reports'],
  args: ['worker', 'report', 'forgetMs'],
  reply: text,
});
const drainWorkerScript = defineScript({
  file: 'drain-worker.lua',
  from,
  keys: ['workers', 'reports', 'alive'],
  args: ['worker', 'drain', 'channel', 'changed'],
  reply: integer,
});
/** Id, ms of the last report, the report as JSON, the drain request ('' none), what blocks the worker ('' nothing). */
const reportedReply = tuple(text, integer, text, text, text);
const listWorkersScript = defineScript({
  file: 'list-workers.lua',
  from,
  keys: ['workers', 'reports'],
  args: [],
  reply: tupleAnd([integer], reportedReply),
});

export const reportEveryMs = 1_000;
/** A worker without a report for this long is silent. */
const SILENT_AFTER_MS = 5_000;
const FORGET_AFTER_MS = 10 * 60_000;

/** The reports of workers, and the drain requests of operators. */
export class Workers {
  readonly #redis: RedisConnection;
  readonly #channels: Channels;
  readonly #keys: { readonly workers: string; readonly reports: string };
  readonly #channel: string;
  readonly #root: string;

  constructor({ redis, channels, settings }: Pick<StoreInside, 'redis' | 'channels' | 'settings'>) {
    const { prefix } = settings;
    this.#redis = redis;
    this.#channels = channels;
    this.#root = `${prefix}{agents}:`;
    this.#keys = { workers: `${this.#root}workers`, reports: `${this.#root}workers:reports` };
    this.#channel = `${this.#root}drain`;
  }

  /** Call it every `reportEveryMs`. @returns the drain request, if there is one */
  async report(id: string, report: WorkerReport): Promise<DrainRequest | undefined> {
    const args = { worker: id, report: JSON.stringify(report), forgetMs: FORGET_AFTER_MS };
    return requestIn(await reportWorkerScript.run(this.#redis, { keys: this.#keys, args }));
  }

  /** The worker is blocked, and cannot report; its next report ends that. */
  async reportBlocked(id: string, blocked: BlockedReport): Promise<void> {
    const { workers, reports } = this.#keys;
    const seenMs = Number(await this.#redis.zscore(workers, id));
    await this.#redis.hset(reports, `${id} blocked`, JSON.stringify({ seenMs, ...blocked }));
  }

  /** Call it when the worker stops. */
  async withdraw(id: string): Promise<void> {
    const { workers, reports } = this.#keys;
    await Promise.all([this.#redis.zrem(workers, id), this.#redis.hdel(reports, id, `${id} drain`, `${id} blocked`)]);
  }

  /** All workers, sorted by id. */
  async list(): Promise<WorkerReading[]> {
    const [nowMs, ...reported] = await listWorkersScript.run(this.#redis, { keys: this.#keys, args: {} });
    return reported.map((each) => workerReading(nowMs, each)).sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** The worker takes no more work, until `undrain`. @returns false: no such worker */
  drain(id: string, request: DrainRequest = {}): Promise<boolean> {
    return this.#setDrain(id, JSON.stringify(request));
  }

  /** @returns false: no such worker */
  undrain(id: string): Promise<boolean> {
    return this.#setDrain(id, '');
  }

  /** Calls `report` when there is a new request. The notification may be lost: each report returns the request, too. */
  async onDrainRequest(id: string, report: () => void): Promise<() => void> {
    const listener = (worker: string): void => {
      if (worker === id) report();
    };
    await this.#channels.subscribe(this.#channel, listener);
    return () => this.#channels.unsubscribe(this.#channel, listener);
  }

  async #setDrain(worker: string, drain: string): Promise<boolean> {
    const keys = { ...this.#keys, alive: `${this.#root}alive` };
    const args = { worker, drain, channel: this.#channel, changed: `${this.#root}changed` };
    return (await drainWorkerScript.run(this.#redis, { keys, args })) === 1;
  }
}

function workerReading(nowMs: number, reported: ReturnType<typeof reportedReply>): WorkerReading {
  const [id, seenMs, json, drain, blockedJson] = reported;
  const { process, agents, upForMs, isDraining, turns, version, figures, remoteProblems }: WorkerReport =
    JSON.parse(json);
  const request = requestIn(drain);
  const blocked = blockedIn(blockedJson, seenMs);
  return {
    id,
    ...(process && { process }),
    state: blocked
      ? 'silent'
      : workerState({ silentMs: nowMs - seenMs, request, isIdle: isDraining && turns.length === 0 }),
    agents,
    since: iso(seenMs - upForMs),
    lastHeartbeat: iso(seenMs),
    ...(version !== undefined && { version }),
    ...(figures && { figures }),
    ...(remoteProblems && { remoteProblems }),
    ...(request && { drain: request }),
    ...(blocked && { blocked }),
    turns: turns.map(({ runsForMs, ...turn }) => ({ ...turn, since: iso(seenMs - runsForMs) })),
  };
}

interface Condition {
  readonly silentMs: number;
  readonly request: DrainRequest | undefined;
  /** As its report says. */
  readonly isIdle: boolean;
}

function workerState({ silentMs, request, isIdle }: Condition): WorkerState {
  if (silentMs > SILENT_AFTER_MS) return 'silent';
  if (!request) return 'working';
  return isIdle ? 'drained' : 'draining';
}

/** Undefined: it has reported since. */
function blockedIn(json: string, seenMs: number): BlockedReport | undefined {
  if (json === '') return undefined;
  const { seenMs: blockedAtMs, ...blocked }: BlockedReport & { readonly seenMs: number } = JSON.parse(json);
  return blockedAtMs === seenMs ? blocked : undefined;
}

const requestIn = (text: string): DrainRequest | undefined => (text ? JSON.parse(text) : undefined);
const iso = (ms: number): string => new Date(ms).toISOString();
