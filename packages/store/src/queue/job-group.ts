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

/** Tokens for the locks of jobs that are taken together: numbers from `first` on, behind the prefix. As many jobs may be taken. */
export interface Tokens {
  readonly prefix: string;
  readonly first: number;
  readonly count: number;
}

export const tokenOf = ({ prefix, first }: Tokens, index: number): string => `${prefix}${first + index}`;

export interface Take {
  readonly jobs: readonly NextJob[];
  /** Jobs that wait behind these; undefined: not known. */
  readonly others: number | undefined;
  /** When the next delayed job is due, ms since 1970; 0: none is delayed. */
  readonly dueAt: number;
}

/** Jobs that one script takes: bounds the time that Redis spends in it. */
const MOST_AT_ONCE = 16;

/**
 * Jobs taken together. BullMQ's worker asks for one after the other, a message to Redis and back for each, and so what came
 * together falls apart. Here as many are taken at once as there are places for.
 */
export class JobGroup {
  readonly #take: (tokens: Tokens) => Promise<Take>;
  readonly #places: Places;
  readonly #takesAhead: boolean;
  readonly #prefix = `${randomUUID()}:`;
  #tokens = 0;
  /** Taken, and not asked for yet. */
  readonly #ahead: NextJob[] = [];
  readonly #waiting: PromiseWithResolvers<NextJob>[] = [];
  /** Jobs asked for, whose answers are under way. */
  #asked = 0;
  #latest = Promise.resolve();
  /** It is about to ask. */
  #isAsking = false;
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
    take: (tokens: Tokens) => Promise<Take>,
    places: Places,
    { takesAhead }: { readonly takesAhead: boolean },
  ) {
    this.#take = take;
    this.#places = places;
    this.#takesAhead = takesAhead;
  }

  /** @param token of the job in whose place the next one is taken; any other: of a worker that looks for jobs */
  async next(token: string): Promise<NextJob> {
    if (token.startsWith(this.#prefix)) return this.#next();
    const hasNone = this.#asked === 0 && this.#ahead.length === 0;
    this.#isLooking = !(this.#isEmpty && hasNone);
    if (hasNone) this.#isEmpty = false;
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
    // Those whose jobs ended together ask together.
    if (!this.#isAsking) queueMicrotask(() => this.#askOn());
    this.#isAsking = true;
    return waiting.promise;
  }

  #askOn(): void {
    this.#isAsking = false;
    for (let count = this.#toAskFor; count > 0; count = this.#toAskFor) this.#ask(Math.min(count, MOST_AT_ONCE));
  }

  /** For those who wait, and, as these will be asked for, for the free places. While nobody knows whether there are any, once. */
  get #toAskFor(): number {
    const wanted = this.#waiting.length - this.#asked;
    const welcome = this.#takesAhead && this.#isLooking ? this.#places.free : 0;
    if (this.#others > 0) return Math.min(this.#others, Math.max(wanted, welcome));
    return this.#asked === 0 && wanted > 0 ? Math.max(wanted, welcome) : 0;
  }

  #ask(count: number): void {
    const tokens: Tokens = { prefix: this.#prefix, first: this.#tokens, count };
    this.#tokens += count;
    this.#places.reserve(count);
    this.#asked += count;
    this.#others = Math.max(0, this.#others - count);
    this.#latest = this.#take(tokens).then(
      (take) => this.#answer(take, count),
      (error: unknown) => this.#fail(error, count),
    );
  }

  #answer({ jobs, others, dueAt }: Take, asked: number): void {
    this.#asked -= asked;
    this.#places.giveUp(asked);
    for (const [job] of jobs) if (job) this.#places.enter(job.token);
    this.#others = Math.max(0, (others ?? this.#unknownOthers) - this.#asked);
    this.#isEmpty = this.#isLooking && jobs.length > 0 && others === 0 && dueAt === 0;
    for (const job of jobs) {
      const waiting = this.#waiting.shift();
      if (waiting) waiting.resolve(job);
      else this.#ahead.push(job);
    }
    const isAll = jobs.length === 0 || others === 0;
    if (isAll && this.#asked === 0) for (const { resolve } of this.#waiting.splice(0)) resolve(this.#none(dueAt));
    this.#askOn();
  }

  /** Those who wait are asked for until none is there, but nothing is taken ahead for that. */
  get #unknownOthers(): number {
    return this.#takesAhead ? 0 : Number.POSITIVE_INFINITY;
  }

  #fail(error: unknown, asked: number): void {
    this.#asked -= asked;
    this.#places.giveUp(asked);
    for (const { reject } of this.#waiting.splice(0, asked)) reject(error);
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
}
