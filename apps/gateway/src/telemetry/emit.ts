import type { Line } from '@switchyard/telemetry';
import type { Logger } from 'pino';
import type { Audit } from './audit.ts';
import type { Emit, GatewayEvent } from './events.ts';
import type { GatewayMetrics } from './metrics.ts';

/** Targets of events besides the log. */
export interface Sinks {
  /** Unset: there are no metrics. */
  readonly metrics?: Pick<GatewayMetrics, 'record'> | undefined;
  readonly audit: Pick<Audit, 'record'>;
}

/** Emits an event as a log line, as metrics, or both; or to the audit trail. */
export function createEmit(log: Logger, { metrics, audit }: Sinks): Emit {
  const logEvent = logEvents(log);
  return (event) => {
    if (event.kind === 'audited') return audit.record(event.event);
    logEvent(event);
    metrics?.record(event);
  };
}

/**
 * Level and text of logged events; the others are only metrics. Clients' errors are answered to them, so they are
 * `debug`.
 */
export const lines: Readonly<Partial<Record<GatewayEvent['kind'], Line>>> = {
  listening: ['info', 'listening'],
  stopping: ['info', 'stopping: streams end, requests finish'],
  stopped: ['info', 'stopped'],
  'push-in-clear': ['warn', 'credentials of webhooks are stored in clear: set PUSH_SECRET'],
  'agents-changed': ['info', 'agents announced'],
  'audit-dropped': ['warn', 'events were lost to the audit trail: Redis takes none'],
  'agents-unreadable': ['warn', 'the announced agents cannot be read; the last known ones are served'],
  'connections-refused': ['warn', 'connections of clients are refused: too many are open'],
  'issuer-unreadable': [
    'warn',
    'the keys of the issuer of tokens cannot be read; the last known ones count for an hour',
  ],
  'credentials-guessed': ['warn', 'too many wrong credentials: only known ones are let in from this address'],
  'message-accepted': ['info', 'message accepted'],
  'admin-action': ['info', 'admin action'],
  answered: ['debug', 'answered'],
  refused: ['debug', 'refused'],
  failed: ['error', 'failed'],
};

export function logEvents(log: Logger): Emit {
  return (event) => {
    const [level, text] = lines[event.kind] ?? [];
    if (level === undefined || !log.isLevelEnabled(level)) return;
    const { kind, ...fields } = event;
    log[level]({ event: kind, ...fields }, text);
  };
}
