import { setTimeout as delay } from 'node:timers/promises';
import { toError } from '@switchyard/redis';
import type { AgentQueue, JobKinds, Taken, TakeRequest } from './agent-queue.ts';
import type { Isolation } from './isolation.ts';
import type { RunningJob } from './running-job.ts';
import type { Grant, LoneRun, Slots } from './slots.ts';
import type { WakeUp } from './wake-ups.ts';

/** Jobs that one script takes: bounds the time that Redis spends in it. */
const MAX_AT_ONCE = 16;
/** Longest wait while a job is delayed: its time may change with the clock of Redis. */
const DELAYED_POLL_MS = 1_000;
/** How often it looks for awaited jobs while the waiting jobs are ones that it must not take. */
const POLL_AWAITED_MS = 50;
const RETRY_MS = 200;

interface JobToRun extends Pick<RunningJob, 'hold'> {
  /** As in `TurnJob`. */
  share?(): Promise<void>;
}

export interface FetchLoopDependencies<Job extends JobToRun> {
  readonly queue: Pick<AgentQueue, 'wakeAnother'>;
  /** Prefix of the tokens of runs. Starts with the name of the process. */
  readonly taker: string;
  readonly take: (request: TakeRequest) => Promise<Taken<Job>>;
  readonly wakeUp: Pick<WakeUp, 'wait' | 'leave'>;
  readonly slots: Slots;
  readonly isolation: Isolation;
  readonly run: (job: Job) => Promise<void>;
  readonly onError: (error: Error) => void;
}

/**
 * Takes the jobs of one queue on one shard, as many as slots are free, and waits when there is none. Requests run one
 * after the other: a reply is never older than the wait before it, and a job added after a reply leaves a wake-up for
 * the next wait.
 */
export class FetchLoop<Job extends JobToRun = RunningJob> {
  readonly #dependencies: FetchLoopDependencies<Job>;
  #number = 1;
  #taking: Promise<unknown> = Promise.resolve();
  readonly #ended = new AbortController();

  constructor(dependencies: FetchLoopDependencies<Job>) {
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
    for (;;) {
      const grant = await this.#dependencies.slots.acquire(MAX_AT_ONCE);
      if (!grant) return;
      const taking = this.#takeAndStart(grant);
      this.#taking = taking;
      await this.#waitForJobs(await taking);
    }
  }

  async #takeAndStart({ count, kinds }: Grant): Promise<Taken<Job> | undefined> {
    const { slots, isolation } = this.#dependencies;
    const taken = await this.#take(count, kinds);
    for (const job of taken?.jobs ?? [])
      this.#start(job, (run) => (kinds === 'all-awaited' ? isolation.load.runAlone(this.#lone(job), run) : run()));
    slots.free(count - (taken?.jobs.length ?? 0));
    if (taken?.hasSuspects && isolation.claim()) await this.#takeSuspect();
    return taken;
  }

  async #takeSuspect(): Promise<void> {
    const { slots, isolation } = this.#dependencies;
    const [suspect] = (await this.#take(1, 'suspect'))?.jobs ?? [];
    if (!suspect) return isolation.free();
    slots.take();
    this.#start(suspect, (run) => isolation.run(this.#lone(suspect), run));
  }

  #lone(job: Job): LoneRun {
    return { job, share: async () => job.share?.().catch(this.#dependencies.onError) };
  }

  async #take(count: number, kinds: JobKinds): Promise<Taken<Job> | undefined> {
    const { take, taker, onError } = this.#dependencies;
    const number = this.#number;
    this.#number += count;
    try {
      // The token says that the run is alone in its process, except for turns that it waits for: see begin.lua.
      const isAlone = kinds === 'suspect' || kinds === 'all-awaited';
      return await take({ taker: isAlone ? `${taker}:alone` : taker, number, count, kinds });
    } catch (error) {
      onError(toError(error));
      return undefined;
    }
  }

  /** The job holds its slot, and is held by the lease, until it has ended. */
  #start(job: Job, admit: (run: () => Promise<void>) => Promise<void>): void {
    const { run, slots, onError } = this.#dependencies;
    const held = job.hold();
    admit(() => run(job))
      .catch(onError)
      .finally(() => {
        held[Symbol.dispose]();
        slots.leave(job);
      });
  }

  async #waitForJobs(taken: Taken<Job> | undefined): Promise<void> {
    const { wakeUp, slots, queue } = this.#dependencies;
    const { jobs, waiting, dueInMs } = taken ?? { jobs: [], waiting: 0 };
    if (!taken || waiting > 0) wakeUp.leave();
    if (!taken) return this.#pause(RETRY_MS);
    if (waiting > 0 && jobs.length === 0) return this.#pause(POLL_AWAITED_MS);
    if (waiting > 0) return;
    await letOutcomesGoFirst();
    // Without a free slot, it would take a wake-up away from another process.
    if (!slots.isFree) {
      wakeUp.leave();
      await slots.untilFree();
    }
    const isWoken = await wakeUp.wait(dueInMs === undefined ? undefined : Math.min(dueInMs, DELAYED_POLL_MS));
    // Jobs of other shards have taken all slots meanwhile, or this process takes no more.
    if (isWoken && !slots.isFree) {
      wakeUp.leave();
      await queue.wakeAnother().catch(this.#dependencies.onError);
    }
  }

  async #pause(ms: number): Promise<void> {
    const { signal } = this.#ended;
    await delay(ms, undefined, { signal }).catch(() => undefined);
  }
}

/** Agents that end at once have then sent their outcomes: Redis wakes up once for them and the wait that follows. */
async function letOutcomesGoFirst(): Promise<void> {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
}
