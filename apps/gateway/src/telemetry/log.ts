import { errorFields } from '@switchyard/store';
import { type DestinationStream, type LevelWithSilent, type Logger, pino } from 'pino';

/** Where a secret could turn up in what is logged. Headers and bodies are not logged; should one be, this hides it. */
const secrets = ['authorization', 'cookie', 'x-api-key', 'apiKey', 'password', 'token', 'credentials'];

export interface LogSettings {
  readonly level: LevelWithSilent;
}

/** JSON lines on standard output, or wherever `destination` says. */
export function createLog({ level }: LogSettings, destination?: DestinationStream): Logger {
  const named = secrets.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]);
  const redact = { paths: named, censor: '[redacted]' };
  const options = { level, base: { app: 'gateway' }, serializers: { err: errorFields }, redact };
  return destination ? pino(options, destination) : pino(options);
}
