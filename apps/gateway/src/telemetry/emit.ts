import { errorFields } from '@switchyard/store';
import { type DestinationStream, type Level, type LevelWithSilent, type Logger, pino } from 'pino';
import type { Emit, GatewayEvent } from './events.ts';
import type { GatewayMetrics } from './metrics.ts';

/**
 * Each event becomes a log line, a measurement, or both: here, and nowhere else.
 * @param metrics unset: nothing is measured
 */
export function createEmit(log: Logger, metrics?: GatewayMetrics): Emit {
  const logEvent = logEvents(log);
  return (event) => {
    logEvent(event);
    metrics?.record(event);
  };
}

/** Level and words of each kind; the others are only measured. A client's mistakes are told to the client: `debug`. */
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
