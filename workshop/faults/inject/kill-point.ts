/** Where a process is killed. */
export interface KillPoint {
  readonly app: string;
  readonly when: 'before' | 'after';
  /** The name of its file, without `.lua`. */
  readonly script: string;
}

/** The name of the file that asks for the kill. */
export function killFile({ app, when, script }: KillPoint): string {
  return `${app} ${when} ${script}`;
}
