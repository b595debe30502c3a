import type { TurnResult } from '@switchyard/agent';
import { isOutage } from '@switchyard/store';
import type { Logger } from 'pino';

/** What happens in a worker, by name. Only this file turns it into log lines. */
export type Happening =
  | { readonly kind: 'started'; readonly workerId: string; readonly agents: readonly string[] }
  | { readonly kind: 'stopping'; readonly running: number }
  | { readonly kind: 'stopped' | 'stop-given-up' }
  | { readonly kind: 'measuring'; readonly port: number }
  | { readonly kind: 'draining' | 'drain-ended' }
  | { readonly kind: 'turn-begun'; readonly agent: string; readonly taskId: string; readonly attempt: number }
  | {
      readonly kind: 'turn-ended';
      readonly agent: string;
      readonly taskId: string;
      readonly attempt: number;
      readonly result: TurnResult;
      readonly durationMs: number;
    }
  | { readonly kind: 'job-without-turn'; readonly agent: string; readonly taskId: string; readonly verdict: string }
  | { readonly kind: 'job-failed'; readonly agent: string; readonly taskId: string; readonly error: unknown }
  | { readonly kind: 'swept'; readonly add: number; readonly canceled: number }
  | { readonly kind: 'calls-closed'; readonly closed: number }
  | { readonly kind: 'consumer-restarted'; readonly name: string; readonly waiting: number }
  | { readonly kind: 'module-changed'; readonly path: string }
  | { readonly kind: 'change-refused'; readonly isServed: boolean }
  | { readonly kind: 'worker-died'; readonly code: string }
  | ({ readonly kind: 'push-failed'; readonly retryInMs: number } & PushFailure)
  | ({ readonly kind: 'push-dead' } & PushFailure)
  | ({ readonly kind: 'push-delivered' | 'push-ended' } & PushName)
  | { readonly kind: 'trouble'; readonly where: string; readonly error: unknown };

/** Which webhook. Of its address no more than the origin: the rest may be secret. */
interface PushName {
  readonly taskId: string;
  readonly configId: string;
  readonly origin: string;
}

interface PushFailure extends PushName {
  readonly reason: string;
  readonly attempts: number;
}

export type Observe = (happening: Happening) => void;

/** Of interest to those who look closely. */
const DETAILS: ReadonlySet<Happening['kind']> = new Set([
  'turn-begun',
  'job-without-turn',
  'push-delivered',
  'push-failed',
  'push-ended',
]);

export function logTo(log: Logger): Observe {
  return (happening) => {
    const { kind, ...details } = happening;
    if (happening.kind === 'turn-ended') return logTurn(log, happening);
    if (happening.kind === 'trouble' || happening.kind === 'job-failed') {
      const { error, ...rest } = happening;
      // The stack of an outage says nothing.
      return log.warn({ ...rest, err: isOutage(error) ? String(error) : error }, kind);
    }
    if (kind === 'push-dead' || kind === 'stop-given-up') return log.warn(details, kind);
    if (DETAILS.has(kind)) return log.debug(details, kind);
    log.info(details, kind);
  };
}

function logTurn(log: Logger, { result, durationMs, kind, ...details }: Happening & { kind: 'turn-ended' }): void {
  const line = { ...details, durationMs: Math.round(durationMs), result: result.kind, ...stateOf(result) };
  const error = 'error' in result ? result.error : undefined;
  if (error === undefined) log.info(line, kind);
  else log.warn({ ...line, err: error }, kind);
}

function stateOf(result: TurnResult): object {
  if (result.kind === 'settled') return { state: result.state };
  return result.kind === 'interrupted' ? { reason: result.reason.kind } : {};
}
