import { type DestinationStream, type LevelWithSilent, type Logger, pino } from 'pino';

/** Where a secret could turn up in what is logged. Headers and bodies are not logged at all; this is for the day that one is. */
const secrets = ['authorization', 'cookie', 'x-api-key', 'apiKey', 'password', 'token', 'credentials'];

export interface LogSettings {
  readonly level: LevelWithSilent;
}

/** JSON lines on standard output, or wherever `destination` says. */
export function createLog({ level }: LogSettings, destination?: DestinationStream): Logger {
  const named = secrets.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]);
  // An error of Redis carries its command: a password, a message of a client.
  const paths = [...named, 'err.command.args', '*.command.args'];
  const options = { level, base: { app: 'gateway' }, redact: { paths, censor: '[redacted]' } };
  return destination ? pino(options, destination) : pino(options);
}
