import type { Message } from '@switchyard/protocol';
import { defineScript, integer, nothing, optional, text, tuple, tupleAnd, word } from '@switchyard/redis';
import { type AgentQueue, restReply, type Taken, type TakeRequest, takenFrom } from '../queue/agent-queue.ts';
import type { Lease } from '../queue/lease.ts';
import { currentMoment } from '../queue/moment.ts';
import { RunningJob } from '../queue/running-job.ts';

const from = import.meta.url;
const findJobsScript = defineScript({
  file: 'find-jobs.lua',
  from,
  keys: ['root'],
  args: ['count', 'kinds'],
  reply: tupleAnd([restReply], tuple(text, text, optional(text))),
});
const parkJobsScript = defineScript({
  file: 'park-jobs.lua',
  from,
  keys: ['root'],
  args: [],
  each: ['id', 'key', 'group'],
  reply: nothing,
});
const takePlacesScript = defineScript({
  file: 'take-places.lua',
  from,
  keys: ['root'],
  args: ['leaseMs', 'taker', 'number', 'count', 'most', 'tenantLimit', 'keyLimit', 'startMs', 'burstMs'],
  each: ['place'],
  reply: tupleAnd([integer, integer], text),
});
const freePlaceScript = defineScript({
  file: 'free-place.lua',
  from,
  keys: ['root'],
  args: ['place', 'token', 'startMs'],
  reply: word('freed', 'wanted', 'fenced'),
});

/** Limits of an agent as workers announce them, for all its turns, over all workers and shards. Unset: any number. */
export interface AnnouncedLimits {
  readonly running?: number | undefined;
  readonly runningPerTenant?: number | undefined;
  /** Turns with the same key. */
  readonly runningPerKey?: number | undefined;
  /** Attempts that begin; a second's worth may begin at once. */
  readonly startsPerMinute?: number | undefined;
}

export interface TurnLimits extends AnnouncedLimits {
  /** The key of the message that a turn works on; undefined: none. It does not throw. */
  readonly keyOf?: ((message: Message) => string | undefined) | undefined;
}

/** A job of the queue that waits. Tenant and key are URI-encoded; `key` unset: it is not known yet. */
export interface FoundJob {
  readonly id: string;
  readonly tenant: string;
  readonly key?: string | undefined;
}

/** The limit that refuses a place. `slots`: the process takes no more. */
type Refusal = 'running' | 'tenant' | 'key' | 'starts' | 'slots';
const refusals: ReadonlySet<string> = new Set<Refusal>(['running', 'tenant', 'key', 'starts', 'slots']);
const isRefusedPlace = (answer: string): answer is Refusal => refusals.has(answer);

export interface TakenPlaces {
  readonly places: readonly { readonly job: FoundJob; readonly place: Place }[];
  readonly refused: readonly { readonly job: FoundJob; readonly by: Refusal }[];
  /** Until the next start; 0: it may be now. */
  readonly startInMs: number;
}

/** Unused time of starts that is saved. */
const BURST_MS = 1_000;
const MS_PER_MINUTE = 60_000;
/** How long it is remembered that there is no place. */
const REMEMBERED_MS = 200;

/**
 * The places for turns of an agent with limits, over all workers and shards (docs/adr/0152). They are counted on one
 * shard, by the agent's name, and held there under the lease of the process.
 */
export class Places {
  readonly limits: TurnLimits;
  readonly #lease: Lease;
  readonly #root: string;
  readonly #listeners = new Set<() => void>();
  #taking: Promise<void> = Promise.resolve();
  #fullUntil = 0;

  /** @param lease of this process on the shard of the agent's name */
  constructor(lease: Lease, agent: string, limits: TurnLimits) {
    this.#lease = lease;
    this.#root = lease.keys.places(agent);
    this.limits = limits;
  }

  /** Calls the listener when a place is free that somebody may wait for. */
  onFree(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Whether there was no place a moment ago, and none of this process has become free since. */
  get isFull(): boolean {
    return performance.now() < this.#fullUntil;
  }

  /**
   * One request at a time asks: after a place was freed, all shards do.
   * @param request the same taker and number get the same places
   */
  async take(request: TakeRequest, jobs: readonly FoundJob[]): Promise<TakenPlaces> {
    const before = this.#taking;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#taking = promise;
    await before;
    try {
      return this.isFull ? allRefused(jobs) : await this.#take(request, jobs);
    } finally {
      resolve();
    }
  }

  async #take({ taker, number, count }: TakeRequest, jobs: readonly FoundJob[]): Promise<TakenPlaces> {
    const { running: most = 0, runningPerTenant: tenantLimit = 0, runningPerKey: keyLimit = 0 } = this.limits;
    const { redis, leaseMs } = this.#lease;
    const ids = jobs.map(({ id, tenant, key = '' }) => `${tenant} ${key} ${id}`);
    const requestedAt = currentMoment();
    const [startInMs, left, ...answers] = await takePlacesScript.run(redis, {
      keys: { root: this.#root },
      args: { leaseMs, taker, number, count, most, tenantLimit, keyLimit, startMs: this.#startMs, burstMs: BURST_MS },
      each: ids.map((place) => ({ place })),
    });
    if (left === 0) this.#fullUntil = performance.now() + REMEMBERED_MS;
    const answered = jobs.map((job, i) => ({ job, id: ids[i] ?? '', answer: answers[i] ?? 'slots' }));
    const start = { started: 1, isAwaited: false, waitedMs: 0, requestedAt };
    return {
      startInMs,
      places: answered.flatMap(({ job, id, answer }) =>
        isRefusedPlace(answer) ? [] : [{ job, place: new Place(this, { ...start, id, token: answer }) }],
      ),
      refused: answered.flatMap(({ job, answer }) => (isRefusedPlace(answer) ? [{ job, by: answer }] : [])),
    };
  }

  /** @param isUnused its turn did not begin */
  async free({ id: place, token }: Place, isUnused: boolean): Promise<void> {
    const args = { place, token, startMs: isUnused ? this.#startMs : 0 };
    const verdict = await freePlaceScript.run(this.#lease.redis, { keys: { root: this.#root }, args });
    this.#fullUntil = 0;
    if (verdict === 'wanted') for (const onFree of this.#listeners) onFree();
  }

  get root(): string {
    return this.#root;
  }

  get lease(): Lease {
    return this.#lease;
  }

  get #startMs(): number {
    const { startsPerMinute } = this.limits;
    return startsPerMinute === undefined ? 0 : MS_PER_MINUTE / startsPerMinute;
  }
}

function allRefused(jobs: readonly FoundJob[]): TakenPlaces {
  return { places: [], refused: jobs.map((job) => ({ job, by: 'running' })), startInMs: 0 };
}

/** The right of a turn to run. Like a job, it is held by the lease of its process. */
export class Place extends RunningJob {
  readonly #places: Places;

  constructor(places: Places, start: ConstructorParameters<typeof RunningJob>[1]) {
    super(places, start);
    this.#places = places;
  }

  /** The job has the place until its end. If the place is lost, its turn stops. */
  giveTo(job: RunningJob): void {
    job.keep(this);
    const nothing = (): void => undefined;
    this.enter(
      {
        taskKey: '',
        fence: '',
        isOver: () => false,
        seen: () => undefined,
        onSteered: nothing,
        onCancel: nothing,
        onFenced: () => job.turn?.onFenced(),
      },
      this.requestedAt,
    );
  }

  override async end(): Promise<void> {
    await this.#places.free(this, false);
  }

  /** The job was gone. */
  async giveBack(): Promise<void> {
    await this.#places.free(this, true);
  }
}

/** The next jobs of a queue whose agent has limits. Those that wait for a place of their tenant or key do not count. */
export async function findJobs({ root, lease }: AgentQueue, { count, kinds }: TakeRequest): Promise<Taken<FoundJob>> {
  const [rest, ...jobs] = await findJobsScript.run(lease.redis, { keys: { root }, args: { count, kinds } });
  return takenFrom(
    rest,
    jobs.map(([id, tenant, key]) => ({ id, tenant, key: key ?? undefined })),
  );
}

/** Jobs that found no place of their tenant or key wait behind all others, and the keys of jobs are noted. */
export async function parkJobs({ root, lease }: AgentQueue, refused: TakenPlaces['refused']): Promise<void> {
  const each = refused.map(({ job: { id, tenant, key = '' }, by }) => {
    const group = by === 'tenant' ? `t:${tenant}` : by === 'key' ? `k:${key}` : '';
    return { id, key, group };
  });
  if (each.length > 0) await parkJobsScript.run(lease.redis, { keys: { root }, args: {}, each });
}
