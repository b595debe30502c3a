import { errorFields } from '@switchyard/store';
import { type DestinationStream, type Level, type LevelWithSilent, type Logger, pino } from 'pino';
import type { Emit, GatewayEvent } from './events.ts';
import type { GatewayMetrics } from './metrics.ts';

/**
 * Emits an event as a log line, as metrics, or both.
 * @param metrics unset: there are none
 */
export function createEmit(log: Logger, metrics?: GatewayMetrics): Emit {
  const logEvent = logEvents(log);
  return (event) => {
    logEvent(event);
    metrics?.record(event);
  };
}

/** Level and text of the logged kinds; the others are only metrics. Errors of clients are answered to them: `debug`. */
const lines: Readonly<Partial<Record<GatewayEvent['kind'], readonly [level: Level, message: string]>>> = {
  listening: ['info', 'listening'],
  stopping: ['info', 'stopping: streams end, requests finish'],
  stopped: ['info', 'stopped'],
  'push-in-clear': ['warn', 'credentials of webhooks are stored in clear: set PUSH_SECRET'],
  'agents-changed': ['info', 'agents announced'],
  'agents-unreadable': ['warn', 'the announced agents cannot be read; the last known ones are served'],
  'connections-refused': ['warn', 'connections of clients are refused: too many are open'],
  'issuer-unreadable': [
    'warn',
    'the keys of the issuer of tokens cannot be read; the last known ones count for an hour',
  ],
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

/** Fields that could hold a secret. Headers and bodies are not logged; this redacts one that is by mistake. */
const secrets = ['authorization', 'cookie', 'x-api-key', 'apiKey', 'password', 'token', 'credentials'];

export interface LogSettings {
  readonly level: LevelWithSilent;
}

/** JSON lines on standard output, or to `destination`. */
export function createLog({ level }: LogSettings, destination?: DestinationStream): Logger {
  const named = secrets.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]);
  const redact = { paths: named, censor: '[redacted]' };
  const options = { level, base: { app: 'gateway' }, serializers: { err: errorFields }, redact };
  return destination ? pino(options, destination) : pino(options);
}
