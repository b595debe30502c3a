import { createInterface } from 'node:readline/promises';
import type { Readable } from 'node:stream';

/** The person who may be asked. */
export interface Asker {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly isTerminal: { readonly err: boolean };
  readonly streams: { readonly err: (text: string) => void };
  readonly stopped: AbortSignal;
}

/** Asks a question in a terminal. @returns undefined: nobody can be asked here */
export async function ask(question: string, asker: Asker): Promise<boolean | undefined> {
  const { stdin, isTerminal, streams, stopped } = asker;
  if (stdin.isTTY !== true || !isTerminal.err) return undefined;
  streams.err(`${question} [y/N] `);
  const lines = createInterface({ input: stdin, terminal: false });
  try {
    return /^y(?:es)?$/i.test((await lines.question('', { signal: stopped })).trim());
  } finally {
    lines.close();
  }
}
