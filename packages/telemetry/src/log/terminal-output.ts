import type { DestinationStream } from 'pino';
import pretty from 'pino-pretty';

/** Formats log lines for people. @param fd file descriptor of a terminal */
export function terminalOutput(fd: number): DestinationStream {
  const options = { ignore: 'pid,app', translateTime: 'SYS:HH:MM:ss', singleLine: true, colorize: true };
  return pretty({ ...options, destination: fd, sync: true });
}
