import { randomUUID } from 'node:crypto';
import type { JobJson } from 'bullmq';
import type { Places } from './places.ts';

/** A job as it is handed out: with the token of its lock, by which it is to be run. */
export type TakenJob = JobJson & { readonly token: string };

/** As BullMQ's backend hands a job to its worker: the job, its id, ms that a limit lasts, and when the next delayed one is due. */
export type NextJob = [job: TakenJob | null, id: string, limitMs: number, dueAt: number];

/** What wakes a worker: a job waits, or one will be due at `score` (ms since 1970). */
export interface Marker {
  readonly member: string;
  readonly score: number;
}

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
  /** The worker looks for jobs until it finds none, or waits: whatever is taken ahead will be asked for. */
  #isLooking = false;
  /** When a delayed job is due of which a marker told us: nobody else knows of it any more. */
  #dueAt = 0;
  /** It is about to ask, and was given the last job. Whatever has come since has left a marker, which it is to wait for. */
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

  /** @param token of the job in whose place the next one is taken; any other: of a worker that looks for jobs */
  async next(token: string): Promise<NextJob> {
    if (token.startsWith(this.#worker)) return this.#next();
    this.#isLooking = !(this.#isEmpty && this.#asked === 0 && this.#ahead.length === 0);
    this.#isEmpty = false;
    const next = this.#isLooking ? await this.#next() : this.#none(0);
    if (next[0] === null) this.#isLooking = false;
    return next;
  }

  /** A worker waits until Redis has news, or, while there are jobs for it, not. */
  async wait(forMarker: () => Promise<Marker | null>): Promise<Marker | null> {
    if (this.#ahead.length > 0 || this.#asked > this.#waiting.length) return { member: '0', score: 0 };
    this.#isLooking = false;
    this.#isEmpty = false;
    const marker = await forMarker();
    if (marker && marker.score > 0) this.#dueAt = this.#nextDue(marker.score);
    return marker;
  }

  /** For a worker that looks for no more jobs, and whose places are closed: those that were taken ahead, and are on their way. */
  async rest(): Promise<NextJob[]> {
    while (this.#asked > 0) await this.#latest;
    return this.#ahead.splice(0);
  }

  #next(): Promise<NextJob> {
    const ahead = this.#ahead.shift();
    if (ahead) return Promise.resolve(ahead);
    const waiting = Promise.withResolvers<NextJob>();
    this.#waiting.push(waiting);
    this.#askOn();
    return waiting.promise;
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
    this.#isEmpty = isLast && this.#isLooking;
    if (job[0] === null) {
      this.#places.leave(token);
      if (this.#asked === 0) for (const { resolve } of this.#waiting.splice(0)) resolve(this.#none(job[3]));
      return;
    }
    const waiting = this.#waiting.shift();
    if (waiting) waiting.resolve(job);
    else this.#ahead.push(job);
    this.#askOn();
  }

  /** An answer may be older than a marker, and may not know of what that told. */
  #none(dueAt: number): NextJob {
    return [null, '', 0, this.#nextDue(dueAt)];
  }

  #nextDue(dueAt: number): number {
    if (this.#dueAt <= Date.now()) return dueAt;
    return dueAt === 0 ? this.#dueAt : Math.min(dueAt, this.#dueAt);
  }

  #fail(error: unknown, token: string): void {
    this.#asked--;
    this.#places.leave(token);
    this.#waiting.shift()?.reject(error);
    this.#askOn();
  }
}
