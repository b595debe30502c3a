import type { DestinationStream } from 'pino';
import pretty from 'pino-pretty';

const options = { ignore: 'pid,hostname,app', translateTime: 'SYS:HH:MM:ss', singleLine: true } as const;

/** Log lines as people read them. @param fd of a terminal */
export function terminalOutput(fd: number): DestinationStream {
  return pretty({ ...options, colorize: true, destination: fd, sync: true });
}

/** Makes a log line readable. */
export function readableLine(colorize: boolean): (json: string) => string {
  return pretty.prettyFactory({ ...options, colorize });
}
