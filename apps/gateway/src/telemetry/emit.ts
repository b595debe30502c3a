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
  'push-in-clear': ['warn', 'webhook credentials are stored in clear text: set PUSH_SECRET'],
  'agents-changed': ['info', 'agents announced'],
  'audit-dropped': ['warn', 'audit events were lost: Redis was unreachable for too long'],
  'deployment-away': ['warn', 'a deployment does not answer: requests for its tasks get 503, all others go on'],
  'deployment-answers': ['info', 'a deployment answers'],
  'deployment-refuses': ['error', 'a deployment refuses this program: requests for its tasks get 503'],
  'agents-unreadable': ['warn', 'the announced agents cannot be read; the last known ones are served'],
  'connections-refused': ['warn', 'client connections are refused: too many are open'],
  'issuer-without-keys': ['warn', 'the token issuer publishes no key for signatures: all its tokens are refused'],
  'issuer-unreadable': [
    'warn',
    'the keys of the token issuer cannot be read: the last known ones are valid for an hour, without any its tokens get 503',
  ],
  'credentials-guessed': ['warn', 'too many wrong credentials: only known ones are accepted from this address'],
  'message-accepted': ['info', 'message accepted'],
  'message-rejected': ['warn', 'message rejected: its time to live has ended, and no worker runs'],
  'messages-not-rejected': ['warn', 'messages whose time to live has ended could not be rejected; it is tried again'],
  'raw-not-moved': ['warn', 'a large raw part stays in its task: it could not be stored as a file'],
  'raw-not-read': [
    'warn',
    'a client that wants raw parts gets URLs: the files cannot be read, or it has no memory for them',
  ],
  'admin-action': ['info', 'admin action'],
  answered: ['debug', 'answered'],
  refused: ['debug', 'refused'],
  failed: ['error', 'failed'],
};

export function logEvents(log: Logger): Emit {
  return (event) => {
    const [level, text] = lines[event.kind] ?? [];
    if (level !== undefined && log.isLevelEnabled(level)) log[level](event, text);
  };
}
