import { visible } from '@switchyard/settings/terminal';
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
 * short line. Control characters in texts, which may be a client's, are escaped.
 * @returns a function that leaves lines that are no JSON as they are, and ends none with a line break
 */
export function readableLines({ isColored, folder }: LineFormat): (line: string) => string {
  const format = pretty.prettyFactory({
    colorize: isColored,
    ignore: 'pid,app',
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
  });
  const readable = (line: string): string => {
    const text = failureLines(line, folder) ?? shortLine(line, folder);
    return text === undefined ? format(withVisibleTexts(line)) : visible(text);
  };
  return (line) => (line.startsWith('{') ? readable(line) : line).trimEnd();
}

function withVisibleTexts(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json, (_, value) => (typeof value === 'string' ? visible(value) : value)));
  } catch {
    return json;
  }
}
