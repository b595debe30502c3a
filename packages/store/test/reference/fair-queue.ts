/** A job of the model. `isServed`: its tenant was charged for it, because it was taken before. */
export interface ModelJob {
  readonly id: string;
  readonly tenant: string;
  kind: 'ordinary' | 'awaited' | 'suspect';
  isServed: boolean;
  /** The order in which jobs were first taken. */
  turn: number;
}

/**
 * A model of the fair queue. It checks the order of each tenant's jobs, and how often two tenants were served while
 * both waited without a break.
 */
export class FairQueue {
  readonly #ordinary = new Map<string, ModelJob[]>();
  readonly #awaited: ModelJob[] = [];
  readonly #suspects: ModelJob[] = [];
  readonly #delayed: ModelJob[] = [];
  readonly active: ModelJob[] = [];
  /** For each pair of tenants, how many more turns the first has had. */
  readonly #ahead = new Map<string, number>();
  #turns = 0;

  get waiting(): number {
    const ordinary = [...this.#ordinary.values()].reduce((sum, { length }) => sum + length, 0);
    return ordinary + this.#awaited.length + this.#suspects.length;
  }

  get delayed(): readonly ModelJob[] {
    return this.#delayed;
  }

  add(id: string, tenant: string, kind: 'ordinary' | 'awaited'): void {
    this.#enqueue({ id, tenant, kind, isServed: false, turn: 0 });
  }

  /** Puts a job before those of its tenant that have not begun, in the order of their turns. */
  handBack(job: ModelJob): void {
    this.#leave(job);
    if (job.kind !== 'ordinary') return void this.#listOf(job).unshift(job);
    const jobs = this.#listOf(job);
    const later = jobs.findIndex((other) => !other.isServed || other.turn > job.turn);
    jobs.splice(later < 0 ? jobs.length : later, 0, job);
  }

  /** Removes the `nth` ordinary waiting job. @returns its id; undefined if no such job waits */
  remove(nth: number): string | undefined {
    const jobs = [...this.#ordinary.values()].flat();
    const job = jobs[nth % Math.max(1, jobs.length)];
    if (!job) return undefined;
    const list = this.#listOf(job);
    list.splice(list.indexOf(job), 1);
    if (list.length === 0) this.#forget(job.tenant);
    return job.id;
  }

  putBackSuspect(job: ModelJob): void {
    this.#leave(job);
    job.kind = 'suspect';
    this.#suspects.unshift(job);
  }

  delay(job: ModelJob): void {
    this.#leave(job);
    this.#delayed.push(job);
  }

  /** Puts a delayed job last; its tenant will be charged for it again. */
  due(id: string): void {
    const at = this.#delayed.findIndex((job) => job.id === id);
    const [job] = this.#delayed.splice(at, 1);
    if (job) this.#enqueue(Object.assign(job, { isServed: false }));
  }

  finish(job: ModelJob): void {
    this.#leave(job);
  }

  /** Checks that these jobs, in this order, may be taken by a take of `count`. @returns the problems */
  take(ids: readonly string[], count: number): string[] {
    const eligible = this.waiting - this.#suspects.length;
    const problems = ids.length === Math.min(count, eligible) ? [] : [`${ids.length} of ${eligible} were taken`];
    return [...problems, ...ids.flatMap((id) => this.#takeOne(id))];
  }

  #takeOne(id: string): string[] {
    const awaited = this.#awaited.findIndex((job) => job.id === id);
    if (awaited >= 0) {
      this.active.push(...this.#awaited.splice(awaited, 1));
      return [];
    }
    if (this.#awaited.length > 0) return [`${id} was taken before an awaited job`];
    const [tenant, jobs] = [...this.#ordinary].find(([, list]) => list[0]?.id === id) ?? [];
    const job = jobs?.shift();
    if (!job || tenant === undefined || !jobs) return [`${id} is not the first of its tenant`];
    this.active.push(job);
    return this.#charge(job, jobs.length > 0);
  }

  #charge(job: ModelJob, hasMore: boolean): string[] {
    const { tenant, isServed } = job;
    const others = [...this.#ordinary].filter(([other, jobs]) => other !== tenant && jobs.length > 0);
    if (!isServed) {
      job.isServed = true;
      job.turn = ++this.#turns;
      for (const [other] of others) {
        this.#ahead.set(`${tenant} ${other}`, (this.#ahead.get(`${tenant} ${other}`) ?? 0) + 1);
        this.#ahead.set(`${other} ${tenant}`, (this.#ahead.get(`${other} ${tenant}`) ?? 0) - 1);
      }
    }
    const unfair = others.filter(([other]) => (this.#ahead.get(`${tenant} ${other}`) ?? 0) > 2);
    if (!hasMore) this.#forget(tenant);
    return unfair.map(([other]) => `${tenant} was served three times more than ${other}, which waits`);
  }

  /** Resets the comparisons of a tenant that no longer waits. */
  #forget(tenant: string): void {
    for (const pair of [...this.#ahead.keys()]) if (pair.split(' ').includes(tenant)) this.#ahead.delete(pair);
  }

  #enqueue(job: ModelJob): void {
    this.#listOf(job).push(job);
  }

  #listOf({ kind, tenant }: ModelJob): ModelJob[] {
    if (kind === 'awaited') return this.#awaited;
    if (kind === 'suspect') return this.#suspects;
    const jobs = this.#ordinary.get(tenant) ?? [];
    this.#ordinary.set(tenant, jobs);
    return jobs;
  }

  #leave(job: ModelJob): void {
    this.active.splice(this.active.indexOf(job), 1);
  }
}
