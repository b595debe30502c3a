import { type DestinationStream, type Level, type LevelWithSilent, type Logger, pino } from 'pino';
import type { Emit, GatewayEvent } from './events.ts';

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

/** Level and words of each kind; the others are measured only. What a client did wrong is the client's to know: it is logged for those who look closely. */
const lines: Readonly<Partial<Record<GatewayEvent['kind'], readonly [level: Level, message: string]>>> = {
  listening: ['info', 'listening'],
  stopping: ['info', 'stopping: streams end, requests finish'],
  stopped: ['info', 'stopped'],
  'push-in-clear': ['warn', 'credentials of webhooks are stored in clear: set PUSH_SECRET'],
  'agents-changed': ['info', 'agents announced'],
  'agents-unreadable': ['warn', 'the announced agents cannot be read; the last known ones are served'],
  'admin-action': ['info', 'admin action'],
  answered: ['debug', 'answered'],
  refused: ['debug', 'refused'],
  failed: ['error', 'failed'],
};

export function logEvents(log: Logger): Emit {
  return (event) => {
    const [level, message] = lines[event.kind] ?? [];
    if (level === undefined || !log.isLevelEnabled(level)) return;
    const { kind: _, ...fields } = event;
    log[level](fields, message);
  };
}
