import { type DestinationStream, pino } from 'pino';
import { readableLines } from './readable-lines.ts';

/** Formats log lines for people. @param fd file descriptor, perhaps of a terminal */
export function textOutput(fd: number, isTerminal: boolean): DestinationStream {
  const readable = readableLines({ isColored: isTerminal, folder: process.cwd() });
  const output = pino.destination({ dest: fd, sync: true });
  return { write: (line) => void output.write(`${readable(line)}\n`) };
}
