/** Names of an archive's schema and tables, quoted, as SQL has them. */
export interface Tables {
  readonly schema: string;
  readonly tasks: string;
  /** Numbers of tasks: see counts.ts. */
  readonly counts: string;
}
