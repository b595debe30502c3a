import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { argv, env } from 'node:process';

/** Where a process is killed. */
export interface KillPoint {
  readonly app: string;
  readonly when: 'before' | 'after';
  /** The name of its file, without `.lua`; or `put`: see `kill-at-copy.ts`. */
  readonly script: string;
}

/** The name of the file that asks for the kill. */
export function killFile({ app, when, script }: KillPoint): string {
  return `${app} ${when} ${script}`;
}

const app = /apps\/(\w+)\//.exec(argv[1] ?? '')?.[1] ?? '';

/** Ends this process if there is such a file in KILL_FOLDER, which gets its pid. */
export function dieIfAsked(when: KillPoint['when'], script: string): void {
  const file = join(env.KILL_FOLDER ?? '', killFile({ app, when, script }));
  try {
    renameSync(file, `${file} ${process.pid}`);
  } catch {
    return; // nobody asked
  }
  process.kill(process.pid, 'SIGKILL');
}
