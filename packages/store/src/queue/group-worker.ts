import { type Job, type JobJson, Worker, type WorkerOptions } from 'bullmq';
import { type GroupBackend, groupBackend, type Taking } from './group-backend.ts';
import type { TakenJob } from './job-group.ts';
import type { Places } from './places.ts';

/** A BullMQ worker for which jobs may be taken before it asks for them: it runs each by the token with which it was taken. */
export class GroupWorker extends Worker<unknown, unknown, string, GroupBackend> {
  readonly #places: Places;
  #running = 0;
  /** Jobs that were taken when it was told to pause. */
  #rest: Promise<unknown> = Promise.resolve();

  constructor(
    name: string,
    run: (job: Job, token?: string) => Promise<unknown>,
    options: WorkerOptions,
    taking: Taking,
  ) {
    // BullMQ looks for as many jobs as a worker may run before it starts the first of them. So one that has nothing to do may
    // run one: its job starts at once, and then there is room for others.
    super(name, run, { ...options, concurrency: 1 }, groupBackend(taking));
    this.#places = taking.places;
  }

  /** Looks for no more jobs. Those that were taken run on, as those that run. */
  override async pause(doNotWaitActive?: boolean): Promise<void> {
    this.#places.close();
    await super.pause(doNotWaitActive);
    this.#rest = Promise.all([this.#rest, this.#runRest()]).catch((error) => this.emit('error', error));
  }

  override async resume(): Promise<void> {
    this.#places.open();
    await super.resume();
  }

  override async close(): Promise<void> {
    await this.pause(true);
    await this.#rest;
    await super.close();
  }

  override async processJob(job: Job, token: string, mayFetch?: () => boolean): ReturnType<Worker['processJob']> {
    try {
      return await super.processJob(job, token, mayFetch);
    } finally {
      this.#places.leave(token);
    }
  }

  protected override async callProcessJob(job: Job, token: string, signal?: AbortSignal): Promise<unknown> {
    if (this.#running++ === 0) this.concurrency = this.#places.count;
    try {
      return await super.callProcessJob(job, token, signal);
    } finally {
      if (--this.#running === 0) this.concurrency = 1;
    }
  }

  protected override nextJobFromJobData(data?: JobJson & Partial<TakenJob>, id?: string, token?: string): Promise<Job> {
    return super.nextJobFromJobData(data, id, data?.token ?? token);
  }

  async #runRest(): Promise<void> {
    const rest = await this.backend.rest();
    await Promise.all(
      rest.map(async ([data, id]) => {
        const job = await this.nextJobFromJobData(data ?? undefined, id);
        if (job.token !== undefined) await this.processJob(job, job.token, () => false);
      }),
    );
  }
}
