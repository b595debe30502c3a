import type { Logger } from 'pino';
import type { Emit } from './events.ts';
import { logEvents } from './log.ts';
import type { GatewayMetrics } from './metrics.ts';

/** Each event becomes a log line, a measurement, or both: here, and nowhere else. @param metrics unset: nothing is measured */
export function createEmit(log: Logger, metrics?: GatewayMetrics): Emit {
  const logEvent = logEvents(log);
  return (event) => {
    logEvent(event);
    metrics?.record(event);
  };
}
