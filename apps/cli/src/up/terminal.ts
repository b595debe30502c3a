import { createInterface } from 'node:readline';
import { styleText } from 'node:util';
import type { GuardedProcess } from '@switchyard/local';
import { readableLines } from '@switchyard/telemetry/readable-lines';

const colors = { gateway: 'cyan', worker: 'magenta', redis: 'red', companion: 'yellow', switchyard: 'green' } as const;

export type Source = keyof typeof colors | `worker ${number}`;

const nameWidth = Math.max(...Object.keys(colors).map((name) => name.length));

/**
 * Output of several processes in one terminal: each line has the name of its process, JSON log lines become readable,
 * and a failed turn shows the author's line first.
 */
export interface Terminal {
  say(source: Source, text: string): void;
  /** Text for the user, unchanged, for reading and copying. */
  print(text: string): void;
  listenTo(source: Source, child: Pick<GuardedProcess, 'stdout' | 'stderr'>): void;
}

/** Colours only in terminals. @param onGone the output is closed */
export function openTerminal(out: NodeJS.WriteStream, onGone: () => void): Terminal {
  out.on('error', onGone);
  const readable = readableLines({ isColored: out.isTTY === true, folder: process.cwd() });
  const say = (source: Source, text: string): void => {
    const prefix = styleText(colorOf(source), `${source.padEnd(nameWidth)} │`, { stream: out });
    for (const line of text.trimEnd().split('\n')) out.write(`${prefix} ${line}\n`);
  };
  return {
    say,
    print: (text) => out.write(`${text}\n`),
    listenTo: (source, child) => {
      for (const input of [child.stdout, child.stderr]) {
        createInterface({ input }).on('line', (line) => say(source, readable(line)));
      }
    },
  };
}

function colorOf(source: Source) {
  return source in colors ? colors[source as keyof typeof colors] : colors.worker;
}
