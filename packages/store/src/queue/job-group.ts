import { randomUUID } from 'node:crypto';
import type { JobJson } from 'bullmq';
import type { Places } from './places.ts';

/** A job as it is handed out: with the token of its lock, by which it is to be run. */
export type TakenJob = JobJson & { readonly token: string };

/** As BullMQ's backend hands a job to its worker: the job, its id, ms that a limit lasts, and when the next delayed one is due. */
export type NextJob = [job: TakenJob | null, id: string, limitMs: number, dueAt: number];
export const NO_JOB: NextJob = [null, '', 0, 0];

export interface Take {
  readonly job: NextJob;
  /** Jobs that waited behind this one. */
  readonly others: number;
  /** None waits nor is delayed. */
  readonly isLast?: boolean;
}

/**
 * Jobs taken together. BullMQ's worker asks for one after the other, a message to Redis and back for each, and so what came
 * together falls apart. Here one is taken to know how many wait, and then as many of them at once as there are places for.
 */
export class JobGroup {
  readonly #take: (token: string) => Promise<Take>;
  readonly #places: Places;
  readonly #takesAhead: boolean;
  readonly #worker = randomUUID();
  #tokens = 0;
  /** Taken, and not asked for yet. */
  readonly #ahead: NextJob[] = [];
  readonly #waiting: PromiseWithResolvers<NextJob>[] = [];
  /** Takes under way. */
  #asked = 0;
  #latest = Promise.resolve();
  /** Jobs that nobody has asked for, as far as is known. */
  #others = 0;
  /** The worker looks for jobs until it finds none: whatever is taken ahead will be asked for. */
  #isLooking = false;
  /** Whatever comes after the last job leaves a marker, which the worker waits for: nothing need be asked before. */
  #isEmpty = false;

  /** @param takesAhead jobs may be taken that nobody has asked for */
  constructor(
    take: (token: string) => Promise<Take>,
    places: Places,
    { takesAhead }: { readonly takesAhead: boolean },
  ) {
    this.#take = take;
    this.#places = places;
    this.#takesAhead = takesAhead;
  }

  /** For a worker that looks for jobs. */
  async next(): Promise<NextJob> {
    this.#isLooking = !(this.#isEmpty && this.#asked === 0 && this.#ahead.length === 0);
    this.#isEmpty = false;
    const next = this.#isLooking ? await this.nextAfter() : NO_JOB;
    if (next[0] === null) this.#isLooking = false;
    return next;
  }

  /** In the place of a job that has ended. */
  nextAfter(): Promise<NextJob> {
    const ahead = this.#ahead.shift();
    if (ahead) return Promise.resolve(ahead);
    const waiting = Promise.withResolvers<NextJob>();
    this.#waiting.push(waiting);
    this.#askOn();
    return waiting.promise;
  }

  /** For a worker that looks for no more jobs: those that were taken ahead, and are on their way. */
  async rest(): Promise<NextJob[]> {
    this.#isLooking = false;
    while (this.#asked > 0) await this.#latest;
    return this.#ahead.splice(0);
  }

  #askOn(): void {
    while (this.#isWanted || this.#isWelcome) {
      const token = `${this.#worker}:${this.#tokens++}`;
      this.#places.enter(token);
      this.#asked++;
      this.#others = Math.max(0, this.#others - 1);
      this.#latest = this.#take(token).then(
        (take) => this.#answer(take, token),
        (error: unknown) => this.#fail(error, token),
      );
    }
  }

  /** Somebody waits for it: one is asked for to know more, and others if they are there. */
  get #isWanted(): boolean {
    return this.#asked < this.#waiting.length && (this.#others > 0 || this.#asked === 0);
  }

  /** It is there, and will be asked for. */
  get #isWelcome(): boolean {
    return this.#takesAhead && this.#isLooking && this.#others > 0 && this.#places.free > 0;
  }

  #answer({ job, others, isLast = false }: Take, token: string): void {
    this.#asked--;
    this.#others = Math.max(0, others - this.#asked);
    this.#isEmpty = isLast;
    if (job[0] === null) {
      this.#places.leave(token);
      if (this.#asked === 0) for (const { resolve } of this.#waiting.splice(0)) resolve(job);
      return;
    }
    const waiting = this.#waiting.shift();
    if (waiting) waiting.resolve(job);
    else this.#ahead.push(job);
    this.#askOn();
  }

  #fail(error: unknown, token: string): void {
    this.#asked--;
    this.#places.leave(token);
    this.#waiting.shift()?.reject(error);
    this.#askOn();
  }
}
