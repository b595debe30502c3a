/** What may be wrong, and how the table calls it. Every one of them must be 0. */
export const faultKinds = {
  lost: 'tasks lost',
  twice: 'tasks finished twice',
  events: 'events missing, out of order or duplicated at a resuming client',
  artifacts: 'artifacts that differ from a run without faults',
  history: 'wrong histories',
  pushes: 'pushes missing or out of order',
  keys: 'leaked keys',
} as const;

export type FaultKind = keyof typeof faultKinds;

export interface Fault {
  readonly kind: FaultKind;
  /** For whoever looks into it. */
  readonly what: string;
}

/** Counts faults, and keeps the first of each kind to be looked into. */
export class Tally {
  readonly #faults: Fault[] = [];

  add(faults: readonly Fault[]): void {
    this.#faults.push(...faults);
  }

  get isClean(): boolean {
    return this.#faults.length === 0;
  }

  count(kind: FaultKind): number {
    return this.#faults.filter((fault) => fault.kind === kind).length;
  }

  /** The first few, in words. */
  examples(most: number): string[] {
    return this.#faults.slice(0, most).map(({ kind, what }) => `${kind}: ${what}`);
  }
}
