/** What is promised, and how the table names its breach. Every count must be 0. */
export const guarantees = {
  lost: 'tasks lost, or ended otherwise than without faults',
  twice: 'tasks finished twice',
  events: 'events missing, out of order or duplicated at a resuming client',
  grpc: 'gRPC streams that differ from the task',
  artifacts: 'artifacts that differ from a run without faults',
  history: 'wrong histories',
  pushes: 'webhooks missing or out of order',
  effects: 'agents that began after their task was over',
  crashes: 'processes that ended by themselves',
  secrets: 'secrets or messages in logs',
  keys: 'leaked keys',
} as const;

export type Guarantee = keyof typeof guarantees;

export interface Violation {
  readonly kind: Guarantee;
  /** Enough to look into it. */
  readonly what: string;
}

export class Violations {
  readonly #all: Violation[] = [];

  add(violations: readonly Violation[]): void {
    this.#all.push(...violations);
  }

  get total(): number {
    return this.#all.length;
  }

  count(kind: Guarantee): number {
    return this.#all.filter((violation) => violation.kind === kind).length;
  }

  /** The first few, in words. */
  examples(most: number): string[] {
    return this.#all.slice(0, most).map(({ kind, what }) => `${kind}: ${what}`);
  }
}
