import { type Guarded, spawnGuarded } from '../../../scripts/processes/guard.ts';

/** So much of what a program says is kept, in characters: enough to see why it ended. */
const KEPT = 4_000;

/** One of our programs under load. It cannot outlive this process. */
export interface OwnPart {
  readonly name: string;
  readonly pid: number;
  readonly exited: Guarded['exited'];
  /** The last things it said. */
  lastWords(): string;
  stop(): Promise<void>;
}

export interface OwnProgram {
  readonly name: string;
  readonly file: string;
  readonly args?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Nothing of the developer's own settings reaches it: two runs are to be alike. */
export async function startOwnPart({ name, file, args = [], env }: OwnProgram): Promise<OwnPart> {
  const { PATH = '', HOME = '' } = env;
  const child = await spawnGuarded(process.execPath, [file, ...args], { env: { PATH, HOME, ...env } });
  return listened(name, child);
}

/** Reads what it says, for otherwise it would stop when nobody does. */
export function listened(name: string, child: Guarded): OwnPart {
  let words = '';
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding('utf8').on('data', (text: string) => {
      words = (words + text).slice(-KEPT);
    });
  }
  const { pid, exited } = child;
  return { name, pid, exited, lastWords: () => words.trim(), stop: async () => void (await child.stop()) };
}
