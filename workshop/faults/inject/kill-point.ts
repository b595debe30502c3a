/** Where a process is killed. */
export interface KillPoint {
  readonly app: string;
  readonly when: 'before' | 'after';
  /** Its name in the header of its file. */
  readonly script: string;
}

/** The name of the file that asks for the kill. */
export function killFile({ app, when, script }: KillPoint): string {
  return `${app} ${when} ${script}`;
}
