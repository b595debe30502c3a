/** Choices that look random; the same seed gives the same ones. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** 0 to `end` - 1. */
  below(end: number): number {
    // mulberry32
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) % end;
  }

  /** True once in `times`, on average. */
  oneIn(times: number): boolean {
    return this.below(times) === 0;
  }

  pick<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[this.below(items.length)] ?? items[0];
  }

  shuffled<Item>(items: readonly Item[]): Item[] {
    return items
      .map((item) => ({ item, place: this.below(2 ** 30) }))
      .sort((a, b) => a.place - b.place)
      .map(({ item }) => item);
  }

  /** The text in pieces of 1 to `longest` UTF-16 units: a piece may end in the middle of a character. */
  pieces(text: string, longest: number): string[] {
    const pieces: string[] = [];
    for (let at = 0; at < text.length; ) {
      const end = at + 1 + this.below(longest);
      pieces.push(text.slice(at, end));
      at = end;
    }
    return pieces;
  }
}

/** How many streams a test tries, and from which seed on: `npm run workshop outside` sets both. */
export const streams = Number(process.env.OUTSIDE_STREAMS ?? 100);
export const firstSeed = Number(process.env.OUTSIDE_SEED ?? 1);
