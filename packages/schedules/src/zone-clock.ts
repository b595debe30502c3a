/** The clock of a time zone. A reading is what the clock shows, as the ms of that time in UTC. */
export class ZoneClock {
  readonly #format: Intl.DateTimeFormat;
  #lastMs = Number.NaN;
  #lastOffsetMs = 0;

  /** @throws {RangeError} the time zone is unknown */
  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  }

  /** How far the clock is ahead of UTC. */
  offsetMs(atMs: number): number {
    if (atMs !== this.#lastMs) [this.#lastMs, this.#lastOffsetMs] = [atMs, offsetIn(this.#format.format(atMs))];
    return this.#lastOffsetMs;
  }

  readingAt(atMs: number): number {
    return atMs + this.offsetMs(atMs);
  }

  /** When the clock shows this reading for the first time, or if it skips the reading, when it shows a later one. */
  firstAt(reading: number): number {
    const [before, after] = [reading - CHANGE_WITHIN_MS, reading + CHANGE_WITHIN_MS];
    for (const offsetMs of [this.offsetMs(before), this.offsetMs(after)])
      if (this.offsetMs(reading - offsetMs) === offsetMs) return reading - offsetMs;
    return this.#changeBetween(before, after);
  }

  /** The first time in a range at which the clock is changed; undefined: it is not changed. */
  firstChange(fromMs: number, toMs: number): number | undefined {
    const offsetMs = this.offsetMs(fromMs);
    for (let ms = fromMs; ms < toMs; ) {
      const next = Math.min(ms + STEP_MS, toMs);
      if (this.offsetMs(next) !== offsetMs) return this.#changeBetween(ms, next);
      ms = next;
    }
    return undefined;
  }

  /** @param fromMs before the change @param toMs after it */
  #changeBetween(fromMs: number, toMs: number): number {
    const offsetMs = this.offsetMs(fromMs);
    let [low, high] = [fromMs, toMs];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.offsetMs(middle) === offsetMs) low = middle;
      else high = middle;
    }
    return high;
  }
}

/** More than a clock is ahead of UTC, or behind it, and less than the time between two changes. */
const CHANGE_WITHIN_MS = 26 * 3_600_000;
/** Less than the time between two changes. */
const STEP_MS = 24 * 3_600_000;

/** @param text such as `1/31/2026, GMT-03:30`, or `GMT` alone for UTC */
function offsetIn(text: string): number {
  const [, sign, hours, minutes, seconds = '0'] = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(text) ?? [];
  const ms = (Number(hours ?? 0) * 3_600 + Number(minutes ?? 0) * 60 + Number(seconds)) * 1_000;
  return sign === '-' ? -ms : ms;
}
