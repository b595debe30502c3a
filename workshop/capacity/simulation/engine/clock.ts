type Act = () => void;

/** The time of a simulation, in seconds. What is planned happens in order of time; at the same time, in the order it was planned. */
export class Clock {
  #now = 0;
  #planned = 0;
  // A binary heap, in three arrays: millions of events pass through it.
  readonly #times: number[] = [];
  readonly #orders: number[] = [];
  readonly #acts: Act[] = [];

  get now(): number {
    return this.#now;
  }

  after(seconds: number, act: Act): void {
    this.#push(this.#now + seconds, this.#planned++, act);
  }

  /** Lets everything happen that is planned until then, and what comes of it. */
  run(until: number): void {
    for (;;) {
      const [time] = this.#times;
      if (time === undefined || time > until) break;
      this.#now = time;
      this.#pop()?.();
    }
    this.#now = until;
  }

  #push(time: number, order: number, act: Act): void {
    let at = this.#times.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(time, order, parent)) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#put(at, time, order, act);
  }

  #pop(): Act | undefined {
    const [first] = this.#acts;
    const [time, order, act] = [this.#times.pop(), this.#orders.pop(), this.#acts.pop()];
    const size = this.#times.length;
    if (time === undefined || order === undefined || act === undefined || size === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && this.#isBefore(this.#time(child + 1), this.#order(child + 1), child)) child++;
      if (!this.#isAfter(time, order, child)) break;
      this.#move(child, at);
      at = child;
    }
    this.#put(at, time, order, act);
    return first;
  }

  #put(at: number, time: number, order: number, act: Act): void {
    this.#times[at] = time;
    this.#orders[at] = order;
    this.#acts[at] = act;
  }

  #move(from: number, to: number): void {
    const act = this.#acts[from];
    if (act) this.#put(to, this.#time(from), this.#order(from), act);
  }

  #time(at: number): number {
    return this.#times[at] ?? Number.POSITIVE_INFINITY;
  }

  #order(at: number): number {
    return this.#orders[at] ?? 0;
  }

  #isBefore(time: number, order: number, at: number): boolean {
    const other = this.#time(at);
    return time < other || (time === other && order < this.#order(at));
  }

  #isAfter(time: number, order: number, at: number): boolean {
    const other = this.#time(at);
    return time > other || (time === other && order > this.#order(at));
  }
}
