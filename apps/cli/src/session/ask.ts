import { createInterface } from 'node:readline/promises';
import type { Readable } from 'node:stream';

/** The person who may be asked. */
export interface Asker {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly isTerminal: { readonly err: boolean };
  readonly streams: { readonly err: (text: string) => void };
  readonly stopped: AbortSignal;
}

/** Asks a yes-or-no question in a terminal. @returns undefined: nobody can be asked here */
export async function ask(question: string, asker: Asker): Promise<boolean | undefined> {
  const answer = await askText(`${question} [y/N]`, asker);
  return answer === undefined ? undefined : /^y(?:es)?$/i.test(answer);
}

/** Asks for a line in a terminal. @returns undefined: nobody can be asked here */
export async function askText(question: string, asker: Asker): Promise<string | undefined> {
  const { stdin, isTerminal, streams, stopped } = asker;
  if (stdin.isTTY !== true || !isTerminal.err) return undefined;
  streams.err(`${question} `);
  const lines = createInterface({ input: stdin, terminal: false });
  try {
    return (await lines.question('', { signal: stopped })).trim();
  } finally {
    lines.close();
  }
}
