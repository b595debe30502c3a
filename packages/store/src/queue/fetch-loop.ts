import { setTimeout as delay } from 'node:timers/promises';
import { toError } from '../redis/errors.ts';
import type { AgentQueue, JobKinds, Taken, TakenJob, TakeRequest } from './agent-queue.ts';
import type { Isolation } from './isolation.ts';
import type { Grant, Slots } from './slots.ts';

/** Jobs that one script takes: bounds the time that Redis spends in it. */
const MAX_AT_ONCE = 16;
/** A wake-up may be lost with its process or connection: a waiting loop looks again after this time. */
const POLL_MS = 1_000;
/** How often it looks for awaited jobs while the waiting jobs are ones that it must not take. */
const POLL_AWAITED_MS = 50;
const RETRY_MS = 200;

export interface FetchLoopDependencies {
  readonly queue: Pick<AgentQueue, 'wakeAnother'>;
  /** Prefix of the lock tokens. Starts with the name of the process. */
  readonly taker: string;
  readonly take: (request: TakeRequest) => Promise<Taken>;
  /**
   * Takes jobs as soon as there may be one, at the latest after `ms`.
   * @returns undefined if there was no reply. The jobs may have been taken: `take` with the same request returns them.
   */
  readonly waitAndTake: (request: TakeRequest, ms: number) => Promise<Taken | undefined>;
  /**
   * Resolves when there may be a job, at the latest after `ms`.
   * @returns whether this process alone was woken
   */
  readonly wait: (ms: number) => Promise<boolean>;
  readonly slots: Slots;
  readonly isolation: Isolation;
  /** Begins to renew the job's lock. @param takenAt when the job was requested, as performance.now() */
  readonly hold: (job: TakenJob, takenAt: number) => Disposable;
  readonly run: (job: TakenJob) => Promise<void>;
  readonly onError: (error: Error) => void;
}

/**
 * Takes the jobs of one queue on one shard, as many as slots are free, and waits when there is none. Requests run one
 * after the other: a reply is never older than the wait before it, and a job added after a reply leaves a wake-up for
 * the next wait. While it waits it keeps the slots of its next request, unless it shares them with other loops.
 */
export class FetchLoop {
  readonly #dependencies: FetchLoopDependencies;
  #number = 1;
  #taking: Promise<unknown> = Promise.resolve();
  readonly #ended = new AbortController();

  constructor(dependencies: FetchLoopDependencies) {
    this.#dependencies = dependencies;
  }

  start(): void {
    this.#run().catch(this.#dependencies.onError);
  }

  /** Resolves when the requested jobs have arrived, and run. */
  async settled(): Promise<void> {
    await this.#taking;
  }

  /** Call it after the slots' end. A wait may go on for a while; the caller need not wait for it. */
  stop(): void {
    this.#ended.abort();
  }

  async #run(): Promise<void> {
    const { slots } = this.#dependencies;
    for (let waitUntil = 0; ; ) {
      const grant = await slots.acquire(MAX_AT_ONCE);
      if (!grant) return;
      const waitMs = waitUntil - performance.now();
      // These slots are for jobs that turns wait for, and may be needed otherwise before one comes.
      if (waitMs > 0 && grant.kinds !== 'any') {
        slots.release(grant.count);
        waitUntil = await this.#wait(waitMs);
        continue;
      }
      const taking = this.#takeAndStart(grant, waitMs);
      this.#taking = taking;
      waitUntil = await this.#nextTake(await taking);
    }
  }

  async #takeAndStart({ count, kinds }: Grant, waitMs: number): Promise<Taken | undefined> {
    const { slots, isolation } = this.#dependencies;
    const takenAt = performance.now();
    const taken = await this.#take(count, kinds, waitMs);
    for (const job of taken?.jobs ?? []) this.#start(job, takenAt, (run) => run());
    slots.release(count - (taken?.jobs.length ?? 0));
    if (taken?.hasSuspects && isolation.claim()) await this.#takeSuspect();
    return taken;
  }

  async #takeSuspect(): Promise<void> {
    const { slots, isolation } = this.#dependencies;
    const takenAt = performance.now();
    const [suspect] = (await this.#take(1, 'suspect'))?.jobs ?? [];
    if (!suspect) return isolation.release();
    slots.hold();
    this.#start(suspect, takenAt, (run) => isolation.run(run));
  }

  async #take(count: number, kinds: JobKinds, waitMs = 0): Promise<Taken | undefined> {
    const { take, waitAndTake, taker, onError } = this.#dependencies;
    const number = this.#number;
    this.#number += count;
    try {
      // The token says that the run is alone in its process, except for turns that it waits for: see begin.lua.
      const isAlone = kinds === 'suspect' || kinds === 'awaited+suspects';
      const request = { taker: isAlone ? `${taker}:alone` : taker, number, count, kinds };
      const taken = waitMs > 0 ? await waitAndTake(request, waitMs) : undefined;
      return taken ?? (await take(request));
    } catch (error) {
      onError(toError(error));
      return undefined;
    }
  }

  /** The job holds its slot until it has ended, and its lease from now on. */
  #start(job: TakenJob, takenAt: number, admit: (run: () => Promise<void>) => Promise<void>): void {
    const { hold, run, slots, onError } = this.#dependencies;
    const lease = hold(job, takenAt);
    admit(() => run(job))
      .catch(onError)
      .finally(() => {
        lease[Symbol.dispose]();
        slots.release();
      });
  }

  /** @returns when to take jobs again, as performance.now(), unless it is woken before */
  async #nextTake(taken: Taken | undefined): Promise<number> {
    if (!taken) return this.#pause(RETRY_MS);
    const { jobs, waiting, dueInMs = POLL_MS } = taken;
    if (waiting > 0 && jobs.length === 0) return this.#pause(POLL_AWAITED_MS);
    if (waiting > 0) return 0;
    await outcomesOfQuickAgents();
    const waitMs = Math.min(dueInMs, POLL_MS);
    // Where jobs come together, the time until this process hears of the next one lets more of them arrive.
    const isBusy = jobs.length > 1;
    return isBusy || this.#dependencies.slots.isShared ? this.#wait(waitMs) : performance.now() + waitMs;
  }

  async #wait(ms: number): Promise<0> {
    const { wait, slots, queue } = this.#dependencies;
    const isWoken = await wait(ms);
    // Jobs of other shards have taken all slots meanwhile, or this process takes no more.
    if (isWoken && !slots.isFree) await queue.wakeAnother().catch(this.#dependencies.onError);
    return 0;
  }

  async #pause(ms: number): Promise<0> {
    const { signal } = this.#ended;
    await delay(ms, undefined, { signal }).catch(() => undefined);
    return 0;
  }
}

/** Agents that are done at once write their outcomes in the next turn of the event loop: Redis is woken once for both. */
async function outcomesOfQuickAgents(): Promise<void> {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
}
