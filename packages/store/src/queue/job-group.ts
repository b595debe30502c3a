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
 * together falls apart. Here as many are taken at once as there are places for, and then the next ones: Redis takes turns
 * between a backlog and what others ask of it.
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
  /** Jobs asked for, whose answer is under way; 0: none is. */
  #asked = 0;
  #latest = Promise.resolve();
  /** It is about to ask. */
  #isAsking = false;
  /** Jobs that wait, as far as is known. */
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
    const count = Math.min(this.#toAskFor, MOST_AT_ONCE);
    if (count > 0 && this.#asked === 0) this.#ask(count);
  }

  /** For those who wait, and, as these will be asked for, for the free places. */
  get #toAskFor(): number {
    const welcome = this.#takesAhead && this.#isLooking ? this.#places.free : 0;
    return this.#waiting.length > 0 ? Math.max(this.#waiting.length, welcome) : Math.min(this.#others, welcome);
  }

  #ask(count: number): void {
    const tokens: Tokens = { prefix: this.#prefix, first: this.#tokens, count };
    this.#tokens += count;
    this.#asked = count;
    this.#places.reserve(count);
    this.#latest = this.#take(tokens).then(
      (take) => this.#answer(take),
      (error: unknown) => this.#fail(error),
    );
  }

  #answer({ jobs, others, dueAt }: Take): void {
    this.#answered();
    this.#others = others ?? 0;
    this.#isEmpty = this.#isLooking && jobs.length > 0 && others === 0 && dueAt === 0;
    for (const job of jobs) {
      if (job[0]) this.#places.enter(job[0].token);
      const waiting = this.#waiting.shift();
      if (waiting) waiting.resolve(job);
      else this.#ahead.push(job);
    }
    const isAll = jobs.length === 0 || others === 0;
    if (isAll) for (const { resolve } of this.#waiting.splice(0)) resolve(this.#none(dueAt));
    this.#askOn();
  }

  #fail(error: unknown): void {
    for (const { reject } of this.#waiting.splice(0, this.#asked)) reject(error);
    this.#answered();
    this.#askOn();
  }

  #answered(): void {
    this.#places.giveUp(this.#asked);
    this.#asked = 0;
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
