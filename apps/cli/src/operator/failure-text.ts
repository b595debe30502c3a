import type { Failure } from '@switchyard/operator-api';
import { field } from '../output/labelled-text.ts';

type Thrown = NonNullable<Failure['error']>;

const MAX_CAUSES = 5;

/** Why a task failed, for a terminal: the author's line first, then the causes, the frames, and where to look further. */
export function failureText(failure: Failure): string {
  const { kind, place, error, attempt, worker, requestId, traceId, retryAfterMs } = failure;
  const at = place && `${place.file}:${place.line}:${place.column}${place.source ? `  ${place.source}` : ''}`;
  return [
    field('Reason', kind),
    field('At', at),
    ...(error ? causesOf(error).map((cause) => field('Cause', cause)) : []),
    ...(error ? framesOf(error).map((frame) => field('Frame', frame)) : []),
    field('Attempt', attempt),
    field('Retry-After', retryAfterMs === undefined ? undefined : `${retryAfterMs} ms`),
    field('Worker', worker),
    field('Request', requestId),
    field('Trace', traceId),
  ].join('');
}

/** Why a step or a call failed, in one line. */
export function failureLine({ of, name, message }: Failure): string {
  return of === 'call' ? message : `Step ${name}: ${message}`;
}

/** Causes from the outside in, each before the errors that it gathers. */
function causesOf({ cause, errors = [] }: Thrown): string[] {
  const inner = [...(cause ? [cause] : []), ...errors];
  return inner.flatMap((each) => [textOf(each), ...causesOf(each)]).slice(0, MAX_CAUSES);
}

function textOf({ type, message, code, status }: Thrown): string {
  const known = [status === undefined ? undefined : `HTTP ${status}`, code].filter((each) => each !== undefined);
  return `${type}: ${message}${known.length > 0 ? ` (${known.join(', ')})` : ''}`;
}

/** Frames of the author's code after the first, which is `At`; other code's are in `-o json`. */
function framesOf({ frames = [] }: Thrown): string[] {
  return frames
    .filter(({ of }) => of === 'author')
    .slice(1, 4)
    .map((frame) => `${frame.file}:${frame.line}:${frame.column}${frame.function ? `  ${frame.function}` : ''}`);
}
