import type { DestinationStream } from 'pino';
import pretty from 'pino-pretty';

/** Log lines as people read them. @param fd of a terminal */
export function terminalOutput(fd: number): DestinationStream {
  const options = { ignore: 'pid,app', translateTime: 'SYS:HH:MM:ss', singleLine: true, colorize: true };
  return pretty({ ...options, destination: fd, sync: true });
}
