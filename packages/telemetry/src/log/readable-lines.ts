import pretty from 'pino-pretty';
import { failureLines } from './failure-lines.ts';
import { shortLine } from './short-lines.ts';

export interface LineFormat {
  readonly isColored: boolean;
  /** Of the agents: paths are shown relative to it. */
  readonly folder: string;
}

/**
 * Makes a line of a log readable: the text of a failed turn begins with the author's line, what an agent logs is one
 * short line.
 * @returns a function that leaves lines that are no JSON as they are, and ends none with a line break
 */
export function readableLines({ isColored, folder }: LineFormat): (line: string) => string {
  const format = pretty.prettyFactory({
    colorize: isColored,
    ignore: 'pid,app',
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
  });
  return (line) =>
    (line.startsWith('{') ? (failureLines(line, folder) ?? shortLine(line, folder) ?? format(line)) : line).trimEnd();
}
