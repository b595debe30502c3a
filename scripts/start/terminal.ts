import { createInterface } from 'node:readline';
import { styleText } from 'node:util';
import pretty from 'pino-pretty';
import type { Guarded } from '../processes/guard.ts';

const colors = { gateway: 'cyan', worker: 'magenta', redis: 'red', beside: 'yellow', switchyard: 'green' } as const;

export type Speaker = keyof typeof colors;

const nameWidth = Math.max(...Object.keys(colors).map((name) => name.length));

/** Several processes in one terminal: every line says whose it is, and JSON log lines become readable. */
export interface Terminal {
  say(speaker: Speaker, text: string): void;
  /** Text for the user, as it is: to be read and copied. */
  print(text: string): void;
  listenTo(speaker: Speaker, child: Pick<Guarded, 'stdout' | 'stderr'>): void;
}

/** Colours only where somebody looks: not in files and pipes. @param onGone nobody reads any more */
export function openTerminal(out: NodeJS.WriteStream, onGone: () => void): Terminal {
  out.on('error', onGone);
  const format = pretty.prettyFactory({
    colorize: out.isTTY === true,
    ignore: 'pid,hostname,name,app',
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
  });
  const say = (speaker: Speaker, text: string): void => {
    const prefix = styleText(colors[speaker], `${speaker.padEnd(nameWidth)} │`, { stream: out });
    for (const line of text.trimEnd().split('\n')) out.write(`${prefix} ${line}\n`);
  };
  return {
    say,
    print: (text) => out.write(`${text}\n`),
    listenTo: (speaker, child) => {
      for (const input of [child.stdout, child.stderr]) {
        createInterface({ input }).on('line', (line) => say(speaker, readable(line, format)));
      }
    },
  };
}

function readable(line: string, format: (line: string) => string): string {
  return line.startsWith('{') ? format(line) : line;
}
