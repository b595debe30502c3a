import type { TurnResult } from '@switchyard/agent';
import { isOutage } from '@switchyard/store';
import { errorFields, logFields } from '@switchyard/telemetry';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Emit, WorkerEvent } from './events.ts';

/** Of interest to those who look closely. */
const DETAILS: ReadonlySet<WorkerEvent['kind']> = new Set([
  'turn-begun',
  'job-without-turn',
  'push-delivered',
  'push-failed',
  'push-ended',
]);

/** JSON lines on standard output, or to `destination`. */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const options = { name: 'worker', level, serializers: { err: errorFields }, formatters: { log: logFields } };
  return destination ? pino(options, destination) : pino(options);
}

export function logTo(log: Logger): Emit {
  return (event) => {
    const { kind, ...details } = event;
    if (event.kind === 'turn-ended') return logTurn(log, event);
    if (event.kind === 'error' || event.kind === 'job-failed') {
      const { error, ...rest } = event;
      // The stack of an outage says nothing.
      return log.warn({ ...rest, err: isOutage(error) ? String(error) : error }, kind);
    }
    if (event.kind === 'unhandled-rejection') {
      const { error, ...rest } = event;
      return log.error({ ...rest, err: error }, kind);
    }
    if (kind === 'push-dead-letter' || kind === 'stop-given-up') return log.warn(details, kind);
    if (DETAILS.has(kind)) return log.debug(details, kind);
    log.info(details, kind);
  };
}

function logTurn(log: Logger, { result, durationMs, kind, ...details }: WorkerEvent & { kind: 'turn-ended' }): void {
  const line = { ...details, durationMs: Math.round(durationMs), result: result.kind, ...stateOf(result) };
  const error = 'error' in result ? result.error : undefined;
  if (error === undefined) log.info(line, kind);
  else log.warn({ ...line, err: error }, kind);
}

function stateOf(result: TurnResult): object {
  if (result.kind === 'settled') return { state: result.state };
  return result.kind === 'interrupted' ? { reason: result.reason.kind } : {};
}
