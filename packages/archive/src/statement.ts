export interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[];
}

/** The values of a statement, in the order in which it was written: PostgreSQL refuses one that it does not name. */
export class Parameters {
  readonly values: unknown[] = [];

  add(value: unknown): string {
    return `$${this.values.push(value)}`;
  }
}
