/** An interval of a timeline, from 0 to 100 percent of its width. */
export interface Stretch {
  readonly left: number;
  readonly width: number;
}

/** A pause that is drawn shorter than it was, so that the rest is visible. */
export interface Gap {
  readonly at: number;
  readonly ms: number;
}

/** A pause is cut if it is this long and takes more than this part of the whole; it is drawn as a smaller part. */
const PAUSE_MS = 60_000;
const LONGEST_PAUSE = 0.25;
const DRAWN_PAUSE = 0.06;

/** Maps times to positions. Long pauses are cut, because a task may wait for days and work for seconds. */
export class TimeAxis {
  readonly #moments: readonly number[];
  /** Position of each time, in ms without the cut parts. */
  readonly #places: readonly number[];
  readonly gaps: readonly Gap[];

  /** @param moments in ms, at least one: starts and ends */
  constructor(moments: readonly number[]) {
    this.#moments = [...new Set(moments)].sort((a, b) => a - b);
    const pauses = this.#moments.slice(1).map((moment, i) => moment - (this.#moments[i] ?? moment));
    const cut = cutPauses(pauses);
    let place = 0;
    this.#places = [0, ...cut.map((pause) => (place += pause))];
    this.gaps = pauses.flatMap((ms, i) => {
      const drawn = cut[i] ?? ms;
      const middle = (this.#places[i] ?? 0) + drawn / 2;
      return drawn < ms ? [{ at: this.#percent(middle), ms }] : [];
    });
  }

  /** In percent of the line; before the first time 0, after the last 100. */
  place(moment: number): number {
    const after = this.#moments.findIndex((other) => other >= moment);
    if (after === -1) return 100;
    if (after === 0) return 0;
    const [before, next] = [this.#moments[after - 1] ?? moment, this.#moments[after] ?? moment];
    const [from, to] = [this.#places[after - 1] ?? 0, this.#places[after] ?? 0];
    return this.#percent(from + ((moment - before) / (next - before)) * (to - from));
  }

  stretch(from: number, until: number): Stretch {
    const left = this.place(from);
    return { left, width: Math.max(0, this.place(until) - left) };
  }

  #percent(place: number): number {
    const length = this.#places.at(-1) ?? 0;
    return length === 0 ? 0 : (place / length) * 100;
  }
}

/** The longest first: each that takes too much of the remaining width is shortened. */
function cutPauses(pauses: readonly number[]): number[] {
  const cut = [...pauses];
  const longestFirst = pauses.map((_, i) => i).sort((a, b) => (pauses[b] ?? 0) - (pauses[a] ?? 0));
  let left = pauses.reduce((sum, pause) => sum + pause, 0);
  for (const i of longestFirst) {
    const pause = pauses[i] ?? 0;
    const others = left - pause;
    if (pauses.length < 3 || pause < left * LONGEST_PAUSE || pause < PAUSE_MS || others === 0) break;
    left = others;
    cut[i] = Number.NaN;
  }
  return cut.map((pause) => (Number.isNaN(pause) ? (left * DRAWN_PAUSE) / (1 - DRAWN_PAUSE) : pause));
}
